import CapsuleCore
import CapsuleFileSystem

/// A database that holds what was in its logs too: it is private, and does not change.
final class FoldedFile: OpenContent {
    private let store: FoldedStore
    private let place: FoldedStore.Place
    private let facts: ContentStatus
    private let found: ExtendedAttributes.Reading?

    /// - Parameters:
    ///   - place: where in `store` it is.
    ///   - facts: its length, the database's mode, and when the last of the unit's files changed.
    ///   - attributes: those of the database; nil if the entry has them.
    init(_ store: FoldedStore, at place: FoldedStore.Place, _ facts: ContentStatus, attributes: ExtendedAttributes.Reading?) {
        self.store = store
        self.place = place
        self.facts = facts
        found = attributes
    }

    func status() -> ContentStatus { facts }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < facts.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), facts.size - offset))
        return try store.read(place, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    func attributes() -> ExtendedAttributes.Reading? { found }
}
