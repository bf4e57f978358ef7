package import CapsuleCore
package import CapsuleHashing

/// The bytes of a capsule that is read over a network. What was read once is kept until the object is released. Any thread may use it.
package protocol RemoteBytes: AnyObject, Sendable {
    /// The address for messages, without what may be secret.
    var path: HostPath { get }
    var length: UInt64 { get }

    /// All footers by the ends of their segments, as the server lists them; empty if it lists none.
    var footers: [UInt64: ListedFooter] { get }

    /// Reads bytes, all of which lie within ``length``.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError)

    /// Fetches what will be read soon, in few round trips. Ranges may overlap, in any order; all lie within ``length``.
    func fetch(_ ranges: [Range<UInt64>]) throws(CapsuleError)
}

extension RemoteBytes {
    package var footers: [UInt64: ListedFooter] { [:] }
}

/// A footer as a server lists it.
package struct ListedFooter: Hashable, Sendable {
    /// The number of the version; nil for a label record.
    package let version: UInt32?
    package let digest: ContentDigest
    package let codec: MemberCodec
    /// The tree digest of the version; nil for a label record.
    package let tree: ContentDigest?

    package init(version: UInt32?, digest: ContentDigest, codec: MemberCodec, tree: ContentDigest?) {
        self.version = version
        self.digest = digest
        self.codec = codec
        self.tree = tree
    }
}

extension Range<UInt64> {
    /// The bytes of a member, whose place an index claims. They may lie beyond the end of the file.
    init(at offset: UInt64, _ stored: some BinaryInteger) {
        let (end, overflow) = offset.addingReportingOverflow(UInt64(clamping: stored))
        self = offset..<(overflow ? .max : end)
    }
}
