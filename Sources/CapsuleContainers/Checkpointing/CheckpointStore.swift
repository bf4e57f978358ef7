package import CapsuleCore
import CapsuleHashing
package import CapsuleSQLite
package import CapsuleSystem

/// Stores databases that were checkpointed: large ones in files of their own, the others in one private file, because a container
/// may have more databases than a process may have open files. Files that a merge made are stored there, too.
package final class CheckpointStore: Sendable {
    package enum Location: Sendable {
        case own(CheckpointedDatabaseBox)
        case shared(UInt64)
    }

    private static let pieceLength = 1 << 20

    private let shortestOwn: UInt64
    private let mostOwn: Int
    private let shared: SpoolFile
    private let monitor = Monitor()
    nonisolated(unsafe) private var end: UInt64 = 0
    nonisolated(unsafe) private var own = 0

    package init(shortestOwn: UInt64 = 4 << 20, mostOwn: Int = 64) throws(CapsuleError) {
        self.shortestOwn = shortestOwn
        self.mostOwn = mostOwn
        shared = try SpoolFile()
    }

    /// Adds a folded database. Any thread may call this.
    package func add(_ database: consuming CheckpointedDatabase) throws(CapsuleError) -> (place: Location, digest: ContentDigest)
    {
        let length = database.length
        if length >= shortestOwn, reserveFile() {
            let own = CheckpointedDatabaseBox(database)
            let digest = try digest(of: length, { (at, room) throws(CapsuleError) in try own.read(at: at, into: room) })
            return (.own(own), digest)
        }
        let start = monitor.locked {
            defer { end += length }
            return end
        }
        let copied = CheckpointedDatabaseBox(database)
        let digest = try digest(
            of: length, { (at, room) throws(CapsuleError) in try copied.read(at: at, into: room) },
            taking: { (at, bytes) throws(CapsuleError) in
                try shared.write(bytes, at: start + at)
            })
        return (.shared(start), digest)
    }

    /// Adds bytes. Any thread may call this.
    package func add(_ bytes: [UInt8]) throws(CapsuleError) -> Location {
        let start = monitor.locked {
            defer { end += UInt64(bytes.count) }
            return end
        }
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try shared.write(bytes, at: start) }
        return .shared(start)
    }

    private func reserveFile() -> Bool {
        monitor.locked {
            own += 1
            return own <= mostOwn
        }
    }

    private func digest(
        of length: UInt64, _ read: (UInt64, UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int,
        taking: (UInt64, UnsafeRawBufferPointer) throws(CapsuleError) -> Void = { (_, _) throws(CapsuleError) in }
    ) throws(CapsuleError) -> ContentDigest {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var hasher = SHA256Hasher()
        var offset: UInt64 = 0
        while offset < length {
            try Interruption.check()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), length - offset))])
            guard try read(offset, room) == room.count else {
                throw CapsuleError(.damaged, "the private copy was truncated")
            }
            hasher.update(UnsafeRawBufferPointer(room))
            try taking(offset, UnsafeRawBufferPointer(room))
            offset += UInt64(room.count)
        }
        return hasher.finish()
    }

    /// The range must not extend beyond its end.
    func read(
        _ place: Location, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(CapsuleError) -> Int {
        switch place {
        case .shared(let start):
            return try shared.read(at: start + offset, into: buffer)
        case .own(let database):
            return try database.read(at: offset, into: buffer)
        }
    }
}

/// A checkpointed database that can have several owners.
package final class CheckpointedDatabaseBox: Sendable {
    private let database: CheckpointedDatabase

    init(_ database: consuming CheckpointedDatabase) { self.database = database }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try database.read(at: offset, into: buffer)
    }
}

/// A database that includes the content of its logs. It is private and does not change.
package final class CheckpointedFile: OpenContent {
    private let store: CheckpointStore
    private let place: CheckpointStore.Location
    private let facts: ContentStatus
    private let found: ExtendedAttributes.Reading?

    /// - Parameters:
    ///   - facts: the length of the database, its mode, and the latest modification time of the unit's files.
    ///   - attributes: the attributes of the database; nil if the entry has them.
    package init(
        _ store: CheckpointStore, at place: CheckpointStore.Location, _ facts: ContentStatus,
        attributes: ExtendedAttributes.Reading?
    ) {
        self.store = store
        self.place = place
        self.facts = facts
        found = attributes
    }

    package func status() -> ContentStatus { facts }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < facts.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), facts.size - offset))
        return try store.read(place, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    package func attributes() -> ExtendedAttributes.Reading? { found }
}
