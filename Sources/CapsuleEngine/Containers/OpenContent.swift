import CapsuleCore
import CapsuleFileSystem

/// An open file of a container; any thread may read it.
protocol OpenContent: AnyObject, Sendable {
    /// What is known of it now.
    func status() throws(CapsuleError) -> ContentStatus
    /// Reads until `buffer` is full or the file ends; the count that was read.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int
    /// Where data begins at or after `offset` as the file system knows it, without reading; `offset` where it doesn't know.
    func nextData(from offset: UInt64) -> UInt64
    /// All holes, where the content keeps a list of them; nil where they have to be looked for.
    func holes() -> [Range<UInt64>]?
    /// Whether a file stands beside it whose name has `suffix` behind.
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool
    /// Extended attributes; nil if the entry has them already.
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading?
    /// Compares all of its bytes with the digest that a capsule has for them, unless that was done.
    ///
    /// - Throws: where they differ, so that nothing is said of bytes that are not the file's.
    func compare() throws(CapsuleError)
    /// The same file, which does not compare itself: for one who digests all that is read and compares.
    var uncompared: any OpenContent { get }
}

extension OpenContent {
    func nextData(from offset: UInt64) -> UInt64 { offset }
    func holes() -> [Range<UInt64>]? { nil }
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool { false }
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? { nil }
    func compare() throws(CapsuleError) {}
    var uncompared: any OpenContent { self }
}
