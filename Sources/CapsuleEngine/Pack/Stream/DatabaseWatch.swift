import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Makes sure that a live database and its logs are packed in one state. Before the database is read, its logs are read and
/// digested. After all of them are packed, the logs must have the same digests, and nothing may have changed. A checkpoint moves
/// pages from the log into the database, so a log that was read first never lacks pages that the database already has (SQLite
/// documentation, "Write-Ahead Logging").
struct DatabaseWatch {
    let database: Int
    let logs: [Int]
    /// The positions of the first and the last of these files in the stream.
    let first: Int
    let last: Int

    /// Returns all watches of a container, by the stream position of their first file. A container that can't change has them
    /// too, so that its stream is cut into members in the same way.
    static func find(in plan: PackPlan) -> [Int: DatabaseWatch] {
        if plan.order.isEmpty { return [:] }
        var logs: [TreeRoot: [RelativePath: [Int]]] = [:]
        for (number, entry) in plan.entries.enumerated() where entry.kind == .file {
            if let database = DatabaseUnit.database(ofLog: entry.path) {
                logs[entry.root, default: [:]][database, default: []].append(number)
            }
        }
        if logs.isEmpty { return [:] }
        var positions: [Int: Int] = [:]
        for (position, number) in plan.order.enumerated() { positions[Int(number)] = position }
        var watches: [Int: DatabaseWatch] = [:]
        for (number, entry) in plan.entries.enumerated() where entry.kind == .file {
            guard let own = logs[entry.root]?[entry.path] else { continue }
            let places = ([number] + own).compactMap { positions[$0] }
            guard let first = places.min(), let last = places.max() else { continue }
            watches[first] = DatabaseWatch(database: number, logs: own, first: first, last: last)
        }
        return watches
    }

    /// The state of the files before the first one was packed.
    struct Snapshot {
        var statuses: [FileStatus?]
        /// The digests of the logs; nil for a log that can't be read and is left out.
        var logDigests: [ContentDigest?]

        func isSameState(as statuses: [FileStatus?]) -> Bool {
            self.statuses.count == statuses.count
                && zip(self.statuses, statuses).allSatisfy { before, after in
                    guard let before, let after else { return before == nil && after == nil }
                    return before.isSameState(as: after)
                }
        }
    }

    /// Captures the state of all files and reads the logs.
    /// - Returns: nil if the file can't change, is not a SQLite database, or can't be read and is left out.
    func capture(_ plan: PackPlan) throws(CapsuleError) -> Snapshot? {
        guard plan.contents.isLive,
            try unlessSkipped(plan, { () throws(CapsuleError) in try plan.open(database).startsDatabase() }) == true
        else {
            return nil
        }
        let before = try statuses(plan)
        var digests: [ContentDigest?] = []
        for log in logs {
            digests.append(try unlessSkipped(plan, { () throws(CapsuleError) in try digest(of: log, plan) }))
        }
        return Snapshot(statuses: before, logDigests: digests)
    }

    /// Runs `body` and returns nil if a file can't be read and is left out. The omission is noted when the file is packed.
    private func unlessSkipped<Outcome>(
        _ plan: PackPlan, _ body: () throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome? {
        do throws(CapsuleError) {
            return try body()
        } catch {
            guard plan.skipsUnreadable, error.code != .interrupted else { throw error }
            return nil
        }
    }

    /// Returns the current state of all files; nil for a file that can't be opened, which counts as a state too.
    func statuses(_ plan: PackPlan) throws(CapsuleError) -> [FileStatus?] {
        var statuses: [FileStatus?] = []
        for number in [database] + logs {
            do throws(CapsuleError) {
                statuses.append(try plan.open(number).status().live)
            } catch {
                if error.code == .interrupted { throw error }
                statuses.append(nil)
            }
        }
        return statuses
    }

    private func digest(of number: Int, _ plan: PackPlan) throws(CapsuleError) -> ContentDigest {
        let content = try plan.open(number)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        return try content.digest(size: try content.status().size, by: buffer)
    }
}

/// The states of databases before they were packed, by stream position. The planner adds them, and the packer reads them.
final class UnitSnapshots: @unchecked Sendable {
    private let monitor = Monitor()
    private var snapshots: [Int: DatabaseWatch.Snapshot?] = [:]

    func hasSnapshot(at position: Int) -> Bool {
        monitor.locked { snapshots.keys.contains(position) }
    }

    /// - Parameter snapshot: the state; nil if the file is not a database.
    func record(_ snapshot: DatabaseWatch.Snapshot?, at position: Int) {
        monitor.locked { snapshots[position] = .some(snapshot) }
    }

    func snapshot(at position: Int) -> DatabaseWatch.Snapshot? {
        monitor.locked { snapshots[position] ?? nil }
    }

    func forget(from position: Int) {
        monitor.locked { snapshots = snapshots.filter { $0.key < position } }
    }
}
