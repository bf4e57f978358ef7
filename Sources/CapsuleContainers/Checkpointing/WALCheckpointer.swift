package import CapsuleCore
import CapsuleSQLite
import CapsuleSystem

/// Checkpoints the logs of a container's databases in private copies. The container itself is only read.
package struct WALCheckpointer: Sendable {
    package struct Outcome {
        package var databases = 0
        package var omitted: [Omission] = []
        package var uncheckpointed: [UncheckpointedDatabase] = []

        package init() {}
    }

    let jobs: Int
    /// True if a database that can't be checkpointed is an error.
    let isStrict: Bool
    /// True if a database that never stops changing is left unchanged. Otherwise, it is an error.
    let allowsChanging: Bool

    package init(jobs: Int, isStrict: Bool, allowsChanging: Bool) {
        self.jobs = jobs
        self.isStrict = isStrict
        self.allowsChanging = allowsChanging
    }

    private struct CheckpointedEntry: Sendable {
        let entry: TreeEntry
        let file: CheckpointedFile
    }

    /// - Returns: a message for each database that stays unchanged.
    package static func checkpoint(_ opened: inout OpenedContainer, jobs: Int) throws(CapsuleError) -> [String] {
        let folding = WALCheckpointer(jobs: jobs, isStrict: false, allowsChanging: false)
        return try folding.checkpoint(&opened).uncheckpointed.map {
            "\($0.path): can't be checkpointed: \($0.reason); both files are kept unchanged"
        }
    }

    package func checkpoint(_ opened: inout OpenedContainer) throws(CapsuleError) -> Outcome {
        let found = try DatabasesWithLogs(of: opened)
        var outcome = Outcome()
        for place in found.strange {
            try leave(place, of: opened, for: "not a database, or encrypted", in: &outcome)
        }
        guard !found.units.isEmpty || !found.emptied.isEmpty else { return outcome }
        let store = try CheckpointStore()
        let container = opened
        let results = try ParallelMap.run(found.units.count, threads: jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) in
            try checkpoint(found.units[number], of: container, into: store)
        }
        var checkpointed: [Int: CheckpointedEntry] = [:]
        var dropped: Set<Int> = []
        for unit in found.emptied {
            outcome.omitted += Self.omissions(for: unit, in: opened, isEmpty: true)
            dropped.formUnion(unit.logs + [unit.sharedMemory].compactMap { $0 })
        }
        for (unit, result) in zip(found.units, results) {
            switch result {
            case .success(let database):
                checkpointed[unit.database] = database
                outcome.databases += 1
                outcome.omitted += Self.omissions(for: unit, in: opened)
                dropped.formUnion(unit.logs + [unit.sharedMemory].compactMap { $0 })
            case .failure(let error):
                try leave(unit.database, of: opened, for: error.message, in: &outcome)
            }
        }
        if !dropped.isEmpty { Self.put(checkpointed, in: &opened, without: dropped) }
        opened.omitted = outcome.omitted + opened.omitted
        opened.wantedOmissions += outcome.omitted.count
        return outcome
    }

    private static func put(_ checkpointed: [Int: CheckpointedEntry], in opened: inout OpenedContainer, without dropped: Set<Int>)
    {
        let kept = opened.entries.indices.filter { !dropped.contains($0) }
        opened.entries = kept.map { checkpointed[$0]?.entry ?? opened.entries[$0] }
        opened.contents.edit(
            opened.entries,
            kept.map { number in
                guard let file = checkpointed[number]?.file else { return .own(number) }
                return .opened { file }
            })
    }

    private func leave(
        _ place: Int, of opened: OpenedContainer, for reason: String, in outcome: inout Outcome
    ) throws(CapsuleError) {
        let path = opened.entries[place].path
        if isStrict {
            throw CapsuleError(
                "can't be checkpointed: \(reason)", path: HostPath(path.bytes),
                hint: "without '--strict', the database and its log are packed unchanged")
        }
        outcome.uncheckpointed.append(UncheckpointedDatabase(path: path, reason: reason))
    }

    /// - Returns: a failure for an error that concerns only this database.
    /// - Throws: any other error.
    private func checkpoint(
        _ unit: DatabasesWithLogs.Unit, of opened: OpenedContainer, into store: CheckpointStore
    ) throws(CapsuleError) -> Result<CheckpointedEntry, CapsuleError> {
        let path = HostPath(opened.entries[unit.database].path.bytes)
        do throws(CapsuleError) {
            return .success(try checkpointed(unit, of: opened, into: store))
        } catch {
            // An error of Capsule's own file access says where it happened. SQLite's own does not.
            if error.code == .interrupted || error.errno != nil { throw error }
            switch error.code {
            case .io:
                throw CapsuleError(
                    "can't be checkpointed in a private copy: \(error.message)", path: path,
                    hint: "set TMPDIR to a directory with enough space for the database and its log")
            case .busy where !allowsChanging:
                throw CapsuleError(
                    "can't be checkpointed: it keeps changing", path: path,
                    hint: "stop the app, or pack the files unchanged with '--allow-changing'")
            default:
                return .failure(error)
            }
        }
    }

    private func checkpointed(
        _ unit: DatabasesWithLogs.Unit, of opened: OpenedContainer, into store: CheckpointStore
    ) throws(CapsuleError) -> CheckpointedEntry {
        var statuses: [ContentStatus] = []
        let copy = try UnitReader(opened.contents, opened.entries, database: unit.database).copy { statuses = $0 }
        var entry = opened.entries[unit.database]
        let attributes = try Self.attributes(of: entry, unit.database, in: opened)
        let bytes = statuses.reduce(0) { $0 + min($1.size, UInt64(Int32.max) << 16) }
        let (length, found) = try Self.add(copy.checkpoint(limits: Self.limits(for: bytes)), to: store)
        let facts = ContentStatus(
            size: length, mode: statuses.last?.mode ?? entry.mode,
            modified: statuses.map(\.modified).max() ?? entry.modified, live: nil)
        (entry.size, entry.mode, entry.modified) = (facts.size, facts.mode, facts.modified)
        // With its digest known, the database need not be read again if the capsule has it. Attributes that a capsule can't hold
        // are found when it is read.
        entry.digest = attributes?.tooLong.isEmpty == false ? .zero : found.digest
        if let attributes, attributes.tooLong.isEmpty { entry.attributes = attributes.attributes }
        return CheckpointedEntry(entry: entry, file: CheckpointedFile(store, at: found.place, facts, attributes: attributes))
    }

    private static func add(
        _ database: consuming CheckpointedDatabase, to store: CheckpointStore
    ) throws(CapsuleError) -> (length: UInt64, found: (place: CheckpointStore.Location, digest: ContentDigest)) {
        let length = database.length
        return (length, try store.add(database))
    }

    private static func attributes(
        of entry: TreeEntry, _ number: Int, in opened: OpenedContainer
    ) throws(CapsuleError) -> ExtendedAttributes.Reading? {
        do throws(CapsuleError) {
            return try opened.open(number).attributes()
        } catch {
            throw CapsuleError(error.code == .interrupted ? .interrupted : .damaged, error.message)
        }
    }

    /// Returns the limits: a minute, and a second for each 4 MiB. Slow disks take less, and hostile pages must not take more.
    private static func limits(for bytes: UInt64) -> WorkLimits {
        WorkLimits(time: .seconds(60 + Int64(bytes >> 22)))
    }

    private static func omissions(
        for unit: DatabasesWithLogs.Unit, in opened: OpenedContainer, isEmpty: Bool = false
    ) -> [Omission] {
        let name = String(decoding: opened.entries[unit.database].path.name, as: UTF8.self)
        let log = isEmpty ? "the empty log of \(name)" : "folded into \(name)"
        let index = isEmpty ? "the index of the empty log of \(name)" : "the index of the log folded into \(name)"
        return unit.logs.map { Omission(path: opened.entries[$0].path.bytes, reason: log) }
            + [unit.sharedMemory].compactMap { $0 }.map { Omission(path: opened.entries[$0].path.bytes, reason: index) }
    }
}

/// A database that was packed unchanged, with its logs, although the logs were to be checkpointed.
package struct UncheckpointedDatabase: Hashable, Sendable {
    package let path: RelativePath
    package let reason: String
}

/// The databases of a container that have logs, and the files that belong to them.
struct DatabasesWithLogs {
    /// A database and the files beside it, as positions among the entries.
    struct Unit: Sendable {
        let database: Int
        /// The rollback journal and the write-ahead log, even if one of the two is empty.
        let logs: [Int]
        let sharedMemory: Int?
    }

    private(set) var units: [Unit] = []
    /// The databases whose logs are all empty. There is nothing to checkpoint and nothing to keep.
    private(set) var emptied: [Unit] = []
    /// The files that are not databases but have a log like one. Most likely they are encrypted.
    private(set) var strange: [Int] = []

    /// - Throws: only if the user interrupts. A file that can't be read is skipped here, and reported when it is packed.
    init(of opened: OpenedContainer) throws(CapsuleError) {
        var logs: [Int: [Int]] = [:]
        for (number, entry) in opened.entries.enumerated() where entry.kind == .file {
            guard let path = DatabaseUnit.database(ofLog: entry.path),
                let database = opened.entries.index(of: path, in: entry.root), opened.entries[database].kind == .file
            else { continue }
            logs[database, default: []].append(number)
        }
        for (database, own) in logs.sorted(by: { $0.key < $1.key }) {
            try CapsuleError.checkInterruption()
            // The sizes are read again, because a live log may have grown since it was listed.
            let filled = own.filter { Self.size(of: $0, in: opened) > 0 }
            if Self.start(of: database, in: opened).elementsEqual(DatabaseUnit.magic) {
                let unit = Unit(database: database, logs: own, sharedMemory: Self.sharedMemory(of: database, in: opened))
                if filled.isEmpty { emptied.append(unit) } else { units.append(unit) }
            } else if filled.contains(where: { DatabaseUnit.isLog(startingWith: Self.start(of: $0, in: opened)) }) {
                strange.append(database)
            }
        }
    }

    private static func sharedMemory(of database: Int, in opened: OpenedContainer) -> Int? {
        let entry = opened.entries[database]
        guard let path = try? RelativePath(validating: entry.path.bytes + DatabaseUnit.sharedMemorySuffix),
            let place = opened.entries.index(of: path, in: entry.root), opened.entries[place].kind == .file
        else { return nil }
        return place
    }

    private static func size(of number: Int, in opened: OpenedContainer) -> UInt64 {
        (try? opened.open(number).status().size) ?? 0
    }

    private static func start(of number: Int, in opened: OpenedContainer) -> [UInt8] {
        guard let file = try? opened.open(number) else { return [] }
        return (try? file.start(DatabaseUnit.magic.count)) ?? []
    }
}
