package import CapsuleCore
package import CapsuleSQLite
import CapsuleSystem

/// Makes a private copy of a database with its logs, all in the same state.
package struct UnitReader {
    private let contents: EntryContents
    private let entries: [TreeEntry]
    /// The logs, then the database. A checkpoint moves content from the logs into the database, so logs that are read first never
    /// lack what the database already has (SQLite documentation, "Write-Ahead Logging").
    private let parts: [(part: DatabaseCopy.Part, index: Int)]
    private let missing: [[UInt8]]

    private static let tries = 5
    // It fits in a processor's own cache.
    private static let pieceLength = 1 << 17

    package init(_ contents: EntryContents, _ entries: [TreeEntry], database index: Int) {
        self.contents = contents
        self.entries = entries
        let database = entries[index]
        var parts: [(part: DatabaseCopy.Part, index: Int)] = []
        var missing: [[UInt8]] = []
        for (part, suffix) in [(DatabaseCopy.Part.journal, "-journal"), (.wal, "-wal")] {
            let log = (try? RelativePath(validating: database.path.bytes + Array(suffix.utf8))).flatMap {
                entries.index(of: $0, in: database.root)
            }
            if let log, entries[log].kind == .file { parts.append((part, log)) }
            if log == nil { missing.append(Array(suffix.utf8)) }
        }
        self.parts = parts + [(.database, index)]
        self.missing = missing
    }

    package var numbers: [Int] { parts.map(\.index) }

    /// Returns a copy of a unit that did not change while it was copied.
    /// - Parameter noting: called with the statuses of the logs, followed by that of the database.
    package func copy(noting: ([ContentStatus]) -> Void = { _ in }) throws(CapsuleError) -> DatabaseCopy {
        for _ in 0..<Self.tries {
            let before = try statuses()
            var copy = try DatabaseCopy()
            for (part, index) in parts { try add(index, as: part, to: &copy) }
            let after = try statuses()
            if zip(before, after).allSatisfy({ $0.isSameState(as: $1) }), try !hasNewLog() {
                noting(before)
                return copy
            }
        }
        throw CapsuleError(.busy, "keeps changing")
    }

    /// Returns true if there is now a log that the container does not have. What was read without it may be half a transaction.
    private func hasNewLog() throws(CapsuleError) -> Bool {
        guard contents.isLive, !missing.isEmpty, let database = parts.last else { return false }
        let file = try Self.reading { () throws(CapsuleError) in try open(database.index) }
        return missing.contains { file.hasSibling(withSuffix: $0) }
    }

    private func add(_ index: Int, as part: DatabaseCopy.Part, to copy: inout DatabaseCopy) throws(CapsuleError) {
        let file = try Self.reading { () throws(CapsuleError) in try open(index) }
        let size = try Self.reading { () throws(CapsuleError) in try file.status().size }
        try copy.setLength(size, of: part)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < size {
            let start = offset
            let count = try Self.reading { () throws(CapsuleError) in
                try CapsuleError.checkInterruption()
                let data = min(size, file.nextData(from: start))
                if data > start { return Int(clamping: data - start) }
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), size - start))])
                return -(try file.read(at: start, into: room))
            }
            if count == 0 { break }
            // A hole needs no write, because the length is already set.
            if count < 0 { try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<(-count)]), at: offset, to: part) }
            offset += UInt64(count.magnitude)
        }
        try Self.reading { () throws(CapsuleError) in try file.compare() }
    }

    private func statuses() throws(CapsuleError) -> [ContentStatus] {
        var statuses: [ContentStatus] = []
        for (_, index) in parts {
            statuses.append(try Self.reading { () throws(CapsuleError) in try open(index).status() })
        }
        return statuses
    }

    private func open(_ index: Int) throws(CapsuleError) -> any OpenContent {
        try contents.open(entries[index], number: index)
    }

    private static func reading<Outcome>(_ body: () throws(CapsuleError) -> Outcome) throws(CapsuleError) -> Outcome {
        do throws(CapsuleError) {
            return try body()
        } catch {
            throw CapsuleError(error.code == .interrupted ? .interrupted : .unread, error.message)
        }
    }
}
