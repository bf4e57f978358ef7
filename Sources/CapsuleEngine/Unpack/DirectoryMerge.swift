import CapsuleContainers
import CapsuleCore
import CapsuleSystem
import CapsuleTransaction

/// The entries of a plan, to write into a directory that exists: completely or not at all, and touching nothing else in it.
struct DirectoryMerge {
    private(set) var outcome: UnpackOutcome
    private let lock: LockedTarget
    private let options: UnpackOptions
    private let progress: (any ProgressObserver)?
    private var transaction: ApplyPlan

    /// Finds all conflicts. Nothing is written yet.
    /// - Parameter places: the files that no entry may replace.
    /// - Throws: `exists` for files that are there, unless the options replace them, and always for anything that is not of the same
    ///   kind: a link is never followed.
    init(
        _ plan: UnpackPlan, into target: HostPath, beside places: InputPaths, _ options: UnpackOptions,
        progress: (any ProgressObserver)?
    ) throws(CapsuleError) {
        self.options = options
        self.progress = progress
        let root = try RootDirectory(target)
        lock = try LockedTarget([root], timeout: LockedTarget.standardTimeout)
        transaction = ApplyPlan(roots: [root], changes: [])
        outcome = UnpackOutcome(path: target, notes: lock.recovered.map(\.sentence) + plan.notes)
        var container = plan.container
        let files = plan.items.map(\.number).filter { container.entries[$0].kind.hasContent }
        try EntryDigester(jobs: options.jobs).completeAll(&container, at: files)
        var conflicts: [CapsuleError] = []
        for item in plan.items {
            var entry = container.entries[item.number]
            if entry.kind == .identity { entry.kind = .file }
            let found = try root.statusIfThere(of: item.path)
            if entry.kind == .directory, found?.kind == .directory { continue }
            if let found {
                let path = root.hostPath(of: item.path)
                try places.refuse(path)
                try check(found, for: entry, at: path, &conflicts)
            }
            transaction.changes.append(
                ApplyPlan.Change(
                    place: TargetPath(root: 0, path: item.path),
                    present: found.map { ApplyPlan.Present(status: $0, entry: Self.unread(entry)) },
                    wanted: ApplyPlan.Wanted(entry: entry, content: entry.kind == .file ? .file(item.number) : .none)))
            if entry.kind == .file { outcome.bytes += entry.size }
        }
        let written = Set(plan.items.map(\.path))
        for item in plan.items {
            conflicts += try Self.staleLogs(of: item.path, container.entries[item.number], in: root, besides: written) {
                container.isDatabase(item.number)
            }
        }
        try Self.refuse(conflicts, in: target)
        outcome.entries = plan.entryCount
        transaction.source = ContainerContents(container: container)
    }

    /// Writes the entries in one transaction.
    /// - Returns: notes on what could not be done.
    func run() throws(CapsuleError) -> [String] {
        try ApplyTransaction(transaction, in: lock, jobs: options.jobs, progress: progress).run().notes
    }

    private func check(
        _ found: FileStatus, for entry: TreeEntry, at path: HostPath, _ conflicts: inout [CapsuleError]
    ) throws(CapsuleError) {
        guard entry.kind != .directory, found.kind == .file || found.kind == .link else {
            throw CapsuleError(
                .exists, "is not a \(entry.kind.word), and is never replaced by one", path: path,
                hint: "move it elsewhere, then try again")
        }
        do throws(CapsuleError) {
            try FileProbe.checkTarget(path, as: .file, replacing: options.replaces, flag: nil)
        } catch {
            conflicts.append(error)
        }
    }

    /// Returns an entry for a file whose content is not known.
    private static func unread(_ entry: TreeEntry) -> TreeEntry {
        var entry = entry
        entry.digest = .zero
        return entry
    }

    /// Returns an error for each log that is beside a database to write and belongs to another one: SQLite would read it.
    static func staleLogs(
        of path: RelativePath, _ entry: TreeEntry, in root: RootDirectory, besides written: Set<RelativePath>,
        isDatabase: () -> Bool
    ) throws(CapsuleError) -> [CapsuleError] {
        var errors: [CapsuleError] = []
        for suffix in DatabaseUnit.companionSuffixes where entry.kind == .file {
            guard let log = try? (path.parent ?? .root).appending(Array(path.name) + suffix), !written.contains(log),
                try root.statusIfThere(of: log) != nil, isDatabase()
            else { continue }
            errors.append(
                CapsuleError(
                    .exists, "belongs to another database than the one to write beside it", path: root.hostPath(of: log),
                    hint: "move it elsewhere, then try again"))
        }
        return errors
    }

    private static let shownConflicts = 10

    private static func refuse(_ conflicts: [CapsuleError], in target: HostPath) throws(CapsuleError) {
        guard var first = conflicts.first else { return }
        if conflicts.count == 1 { throw first }
        if let other = conflicts.first(where: { !($0.hint?.hasPrefix("'--force") ?? false) }) { throw other }
        first = CapsuleError(
            .exists, "already has \(conflicts.count) of the files", path: target,
            hint: "'--force' replaces them, and nothing else")
        first.details = conflicts.prefix(shownConflicts).map { "\($0.path ?? target): \($0.message)" }
        if conflicts.count > shownConflicts { first.details.append("and \(conflicts.count - shownConflicts) more") }
        throw first
    }
}

extension ApplyTransaction.Outcome {
    var notes: [String] {
        var notes: [String] = []
        if let first = refusedAttributes.first {
            notes.append(UnpackOutcome.note(onRefused: refusedAttributes.count, first: first.name, of: first.place.path))
        }
        if let leavings {
            notes.append("all changes were made, but the transaction's files can't be deleted: \(leavings.message)")
        }
        return notes
    }
}
