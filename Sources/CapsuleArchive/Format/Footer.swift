package import CapsuleCore
import CapsuleHashing

/// The end of a version, with the places of its parts. Digests bind it to them and to the previous version (docs/format.md, section 3).
package struct Footer: Hashable, Sendable {
    /// The length of the payload in bytes.
    static let length = 240
    /// The major format that this code writes. It is also the only one that it reads.
    package static let major: UInt16 = 1
    package static let minor: UInt16 = 0
    static let magic = Array("CAPSULE\0".utf8)
    /// The value for the offset of a previous footer if there is none.
    private static let none = UInt64.max

    /// A range of the file.
    package struct FileRange: Hashable, Sendable {
        package var offset: UInt64
        /// The number of bytes in the file.
        package var length: UInt64
        /// The digest of the raw bytes.
        package var digest: ContentDigest

        package init(offset: UInt64, length: UInt64, digest: ContentDigest) {
            self.offset = offset
            self.length = length
            self.digest = digest
        }
    }

    /// The previous version.
    package struct Previous: Hashable, Sendable {
        package var offset: UInt64
        /// The digest of the 240 bytes of its footer.
        package var digest: ContentDigest

        package init(offset: UInt64, digest: ContentDigest) {
            self.offset = offset
            self.digest = digest
        }
    }

    package var minorFormat: UInt16
    package var codec: MemberCodec
    /// True if the capsule is an overlay.
    package var isOverlay: Bool
    /// The offset of this footer's member.
    package var offset: UInt64
    /// The offset of the version's own bytes, which is the end of the previous footer's member.
    package var segmentStart: UInt64
    package var version: UInt32
    package var root: FileRange
    package var manifest: FileRange
    package var previous: Previous?
    /// The SHA-256 over the SHA-256 of every member from ``segmentStart`` to the footer.
    package var segmentDigest: ContentDigest

    package init(
        minorFormat: UInt16 = Footer.minor, codec: MemberCodec, isOverlay: Bool = false, offset: UInt64, segmentStart: UInt64,
        version: UInt32, root: FileRange, manifest: FileRange, previous: Previous?, segmentDigest: ContentDigest
    ) {
        self.minorFormat = minorFormat
        self.codec = codec
        self.isOverlay = isOverlay
        self.offset = offset
        self.segmentStart = segmentStart
        self.version = version
        self.root = root
        self.manifest = manifest
        self.previous = previous
        self.segmentDigest = segmentDigest
    }

    /// The end of the version, after the footer's member.
    package var end: UInt64 { offset + UInt64(codec.footerMemberLength) }

    /// The digest of the 240 bytes, by which the next footer and a cache identify this one.
    package var digest: ContentDigest { SHA256Hasher.digest(of: payload) }

    /// The 240 bytes of the footer.
    var payload: [UInt8] {
        var bytes = Self.magic
        bytes.appendInteger(Self.major)
        bytes.appendInteger(minorFormat)
        bytes.append(codec.rawValue)
        bytes.append(isOverlay ? 1 : 0)
        bytes.appendInteger(UInt16(0))
        bytes.appendInteger(offset)
        bytes.appendInteger(segmentStart)
        bytes.appendInteger(version)
        bytes.appendInteger(UInt32(0))
        for span in [root, manifest] {
            bytes.appendInteger(span.offset)
            bytes.appendInteger(span.length)
            bytes.appendDigest(span.digest)
        }
        bytes.appendInteger(previous?.offset ?? Self.none)
        bytes.appendDigest(previous?.digest ?? .zero)
        bytes.appendDigest(segmentDigest)
        bytes.appendDigest(SHA256Hasher.digest(of: bytes))
        return bytes
    }

    /// The reason that bytes are not a valid footer.
    enum Problem: Error {
        /// The bytes are not a footer, or were changed.
        case damaged
        /// The footer is intact but has another major format.
        case major(UInt16)
    }

    /// Reads 240 bytes and checks them against their own digest.
    init(payload: UnsafeRawBufferPointer) throws(Problem) {
        do {
            var reader = ByteReader(payload)
            guard payload.count == Self.length, try reader.slice(Self.magic.count).elementsEqual(Self.magic) else {
                throw ByteReader.Shortage()
            }
            let major = try reader.integer(UInt16.self)
            var hasher = SHA256Hasher()
            let covered = UnsafeRawBufferPointer(rebasing: payload[..<(Self.length - ContentDigest.byteCount)])
            let claimed = ContentDigest(UnsafeRawBufferPointer(rebasing: payload[covered.count...]))
            guard hasher.digest(of: covered) == claimed else { throw ByteReader.Shortage() }
            // Only an intact footer can declare another format. A flipped bit must not.
            if major != Self.major { throw Problem.major(major) }
            try self.init(fieldsFrom: &reader)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .damaged
        }
    }

    private init(fieldsFrom reader: inout ByteReader) throws(ByteReader.Shortage) {
        minorFormat = try reader.integer(UInt16.self)
        guard let codec = MemberCodec(rawValue: try reader.integer(UInt8.self)) else { throw ByteReader.Shortage() }
        self.codec = codec
        let flags = try reader.integer(UInt8.self)
        // In a newer minor format, unknown flags and the reserved fields may have a meaning that older readers can ignore.
        let isOurs = minorFormat == Self.minor
        guard !isOurs || flags <= 1 else { throw ByteReader.Shortage() }
        isOverlay = flags & 1 != 0
        guard try reader.integer(UInt16.self) == 0 || !isOurs else { throw ByteReader.Shortage() }
        offset = try reader.integer(UInt64.self)
        segmentStart = try reader.integer(UInt64.self)
        version = try reader.integer(UInt32.self)
        guard try reader.integer(UInt32.self) == 0 || !isOurs, version > 0 else { throw ByteReader.Shortage() }
        root = FileRange(
            offset: try reader.integer(UInt64.self), length: try reader.integer(UInt64.self), digest: try reader.digest())
        manifest = FileRange(
            offset: try reader.integer(UInt64.self), length: try reader.integer(UInt64.self), digest: try reader.digest())
        let previousOffset = try reader.integer(UInt64.self)
        let previousDigest = try reader.digest()
        if previousOffset == Self.none {
            guard previousDigest == .zero else { throw ByteReader.Shortage() }
            previous = nil
        } else {
            previous = Previous(offset: previousOffset, digest: previousDigest)
        }
        segmentDigest = try reader.digest()
        // The parts must be adjacent, within the segment and before the footer.
        let (rootEnd, rootOverflow) = root.offset.addingReportingOverflow(root.length)
        let (manifestEnd, manifestOverflow) = manifest.offset.addingReportingOverflow(manifest.length)
        guard !rootOverflow, !manifestOverflow, segmentStart <= root.offset, rootEnd == manifest.offset, manifestEnd == offset,
            (previous?.offset ?? 0) <= segmentStart
        else { throw ByteReader.Shortage() }
    }
}
