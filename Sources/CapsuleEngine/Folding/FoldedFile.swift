import CapsuleCore
import CapsuleFileSystem

/// A database that holds what was in its logs too: it lies in a private file, and does not change.
final class FoldedFile: OpenContent {
    private let spool: FoldedSpool
    private let start: UInt64
    private let facts: ContentStatus
    private let found: ExtendedAttributes.Reading?

    /// - Parameters:
    ///   - start: where in `spool` it lies.
    ///   - facts: its length, the database's mode, and when the last of the unit's files changed.
    ///   - attributes: those of the database; nil if the entry has them.
    init(_ spool: FoldedSpool, at start: UInt64, _ facts: ContentStatus, attributes: ExtendedAttributes.Reading?) {
        self.spool = spool
        self.start = start
        self.facts = facts
        found = attributes
    }

    func status() -> ContentStatus { facts }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < facts.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), facts.size - offset))
        return try spool.read(at: start + offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    func attributes() -> ExtendedAttributes.Reading? { found }
}
