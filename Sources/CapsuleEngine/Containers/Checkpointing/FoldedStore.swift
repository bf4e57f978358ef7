import CapsuleCore
import CapsuleSystem
import CapsuleHashing
import CapsuleSQLite

/// Keeps databases that were folded: the large ones as they are, the others in one private file, since a container may have
/// more of them than a process may have files open. What a merge made lies there, too.
final class FoldedStore: Sendable {
    /// Where a database is.
    enum Place: Sendable {
        case own(OwnFoldedDatabase)
        /// In the file for all, from there on.
        case shared(UInt64)
    }

    private static let pieceLength = 1 << 20

    private let shortestOwn: UInt64
    private let mostOwn: Int
    private let shared: SpoolFile
    private let monitor = Monitor()
    nonisolated(unsafe) private var end: UInt64 = 0
    nonisolated(unsafe) private var own = 0

    /// - Parameters:
    ///   - shortestOwn: from this length on a database stays in a file of its own, since to copy it takes time and room.
    ///   - mostOwn: no more files stay open.
    init(shortestOwn: UInt64 = 4 << 20, mostOwn: Int = 64) throws(CapsuleError) {
        self.shortestOwn = shortestOwn
        self.mostOwn = mostOwn
        shared = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
    }

    /// Takes in a database; any thread may.
    ///
    /// - Returns: where it is, and its digest.
    func add(_ database: consuming FoldedDatabase) throws(DatabaseError) -> (place: Place, digest: ContentDigest) {
        let length = database.length
        if length >= shortestOwn, takeOwn() {
            let own = OwnFoldedDatabase(database)
            let digest = try digest(of: length, { (at, room) throws(DatabaseError) in try own.read(at: at, into: room) })
            return (.own(own), digest)
        }
        let start = monitor.locked {
            defer { end += length }
            return end
        }
        let copied = OwnFoldedDatabase(database)
        let digest = try digest(
            of: length, { (at, room) throws(DatabaseError) in try copied.read(at: at, into: room) },
            taking: { (at, bytes) throws(DatabaseError) in
                try DatabaseError.wrapping { () throws(FileSystemError) in try shared.write(bytes, at: start + at) }
            })
        return (.shared(start), digest)
    }

    /// Takes in bytes that no database has; any thread may.
    func add(_ bytes: [UInt8]) throws(CapsuleError) -> Place {
        let start = monitor.locked {
            defer { end += UInt64(bytes.count) }
            return end
        }
        let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try shared.write(bytes, at: start) }
        }
        try CapsuleError.wrapping { () throws(FileSystemError) in try written.get() }
        return .shared(start)
    }

    private func takeOwn() -> Bool {
        monitor.locked {
            own += 1
            return own <= mostOwn
        }
    }

    private func digest(
        of length: UInt64, _ read: (UInt64, UnsafeMutableRawBufferPointer) throws(DatabaseError) -> Int,
        taking: (UInt64, UnsafeRawBufferPointer) throws(DatabaseError) -> Void = { (_, _) throws(DatabaseError) in }
    ) throws(DatabaseError) -> ContentDigest {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var hasher = SHA256Hasher()
        var offset: UInt64 = 0
        while offset < length {
            try DatabaseError.wrapping { () throws(FileSystemError) in try Interruption.check() }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), length - offset))])
            guard try read(offset, room) == room.count else {
                throw DatabaseError(.damaged, "the private copy was truncated")
            }
            hasher.update(UnsafeRawBufferPointer(room))
            try taking(offset, UnsafeRawBufferPointer(room))
            offset += UInt64(room.count)
        }
        return hasher.finish()
    }

    /// Fills `buffer`, which must not reach beyond the database.
    func read(
        _ place: Place, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(CapsuleError) -> Int {
        switch place {
        case .shared(let start):
            return try CapsuleError.wrapping { () throws(FileSystemError) in try shared.read(at: start + offset, into: buffer) }
        case .own(let database):
            do throws(DatabaseError) {
                return try database.read(at: offset, into: buffer)
            } catch {
                throw CapsuleError(error)
            }
        }
    }
}

/// A folded database that several may hold.
final class OwnFoldedDatabase: Sendable {
    private let database: FoldedDatabase

    init(_ database: consuming FoldedDatabase) { self.database = database }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(DatabaseError) -> Int {
        try database.read(at: offset, into: buffer)
    }
}

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

/// A container's content without some of its files, and with databases that were folded in place of its own.
struct FoldedContent: ContentProvider {
    private let content: any ContentProvider
    /// For each entry its number in ``content``.
    private let numbers: [UInt32]
    /// By their numbers in ``content``.
    private let folded: [UInt32: FoldedFile]

    init(_ content: any ContentProvider, numbers: [UInt32], folded: [UInt32: FoldedFile]) {
        self.content = content
        self.numbers = numbers
        self.folded = folded
    }

    // Those of a live container that were not folded can change as ever.
    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if let file = folded[numbers[number]] { return file }
        return try content.open(entry, number: Int(numbers[number]))
    }

    func makeOpener() -> any ContentOpener { FoldedOpener(content.makeOpener(), numbers, folded) }
}

private final class FoldedOpener: ContentOpener {
    private let opener: any ContentOpener
    private let numbers: [UInt32]
    private let folded: [UInt32: FoldedFile]

    init(_ opener: any ContentOpener, _ numbers: [UInt32], _ folded: [UInt32: FoldedFile]) {
        self.opener = opener
        self.numbers = numbers
        self.folded = folded
    }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if let file = folded[numbers[number]] { return file }
        return try opener.open(entry, number: Int(numbers[number]))
    }
}
