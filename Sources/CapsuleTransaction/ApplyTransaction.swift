package import CapsuleCore
package import CapsuleSystem

/// Carries out a plan, either completely or not at all.
/// Whatever interrupts it (an error, a signal, a power failure), the next transaction or `capsule recover` finishes or undoes it.
package struct ApplyTransaction {
    /// The result of a transaction.
    package struct Outcome {
        package var refusedAttributes: [(place: TargetPath, name: [UInt8])] = []
        /// The error that kept replaced files from being moved to where the caller wants them.
        package var unkept: CapsuleError?
        /// The error that kept leftovers from being deleted. The tree has its new state all the same.
        package var leavings: CapsuleError?
    }

    private let plan: ApplyPlan
    private let jobs: Int
    private let movesDirectories: Bool?
    private let progress: (any ProgressObserver)?
    /// Where replaced and deleted files go in the end, by the numbers of their changes, and the names that they get there. A file of which
    /// the transaction makes another use is not moved. The others are deleted.
    package var keeping: (directory: RootDirectory, names: [Int: [UInt8]])?

    /// - Parameters:
    ///   - target: the plan's directories, locked.
    ///   - movesDirectories: true if every directory can be renamed; nil to ask the file system.
    package init(
        _ plan: ApplyPlan, in target: LockedTarget, jobs: Int, progress: (any ProgressObserver)? = nil,
        movesDirectories: Bool? = nil
    ) {
        self.movesDirectories = movesDirectories
        var plan = plan
        plan.roots = target.roots
        self.plan = plan
        self.jobs = jobs
        self.progress = progress
    }

    private static func area(in root: RootDirectory) throws(CapsuleError) -> TransactionDirectory {
        do throws(CapsuleError) {
            return try TransactionDirectory.make(in: root)
        } catch {
            // The directory can't be opened up like others, because the journal for that would have to be written in it.
            throw error.hinting(ifDenied: "changes are staged in the directory itself, so it must be writable: try 'chmod u+w'")
        }
    }

    /// - Throws: the error. The tree is unchanged, or the message says that it is not.
    package func run() throws(CapsuleError) -> Outcome {
        var outcome = Outcome()
        if plan.changes.isEmpty { return outcome }
        try Self.checkPlaces(of: plan)
        var areas: [TransactionDirectory] = []
        let journal: ApplyJournal
        let steps: [StepPlanner.PlannedStep]
        do throws(CapsuleError) {
            let leader = try CoordinatorLink.make(for: plan.roots)
            for (number, root) in plan.roots.enumerated() {
                areas.append(try Self.area(in: root))
                if let movesDirectories { areas[number].movesDirectories = movesDirectories }
                if number > 0 { try areas[number].follow(leader.note) }
            }
            try NameCollisionProbe(plan, areas).run()
            var staging = StagedEntries(plan, areas)
            try staging.stage(jobs: jobs, progress: progress)
            outcome.refusedAttributes = staging.refused
            try staging.checkDevices()
            var spares = SpareDirectories(plan, areas)
            try spares.make()
            var planner = StepPlanner(plan, staging, spares, EntryLocator(areas))
            steps = try planner.steps()
            journal = ApplyJournal(identifier: leader.note.identifier, roots: leader.paths, steps: steps.map(\.step))
            try CapsuleError.checkInterruption()
            try commit(journal, areas)
        } catch {
            try withdraw(areas, after: error)
            throw error
        }
        let runner = StepRunner(areas, journal, syncsEach: TransactionEnd.syncsEach(journal))
        let end = TransactionEnd(areas, journal)
        var done = 0
        do throws(CapsuleError) {
            for planned in steps {
                try runner.forward(planned.step, isLive: true, expecting: planned.expectation)
                done += 1
            }
            try end.sync()
            try end.markDone()
        } catch {
            try rollBack(runner, end, done: done, after: error)
            throw error
        }
        outcome.refusedAttributes += runner.refused
        do throws(CapsuleError) { try keep(EntryLocator(areas)) } catch { outcome.unkept = error }
        do throws(CapsuleError) {
            try end.clear()
        } catch {
            outcome.leavings = error
        }
        return outcome
    }

    /// Moves old entries to where the caller wants them.
    private func keep(_ places: EntryLocator) throws(CapsuleError) {
        guard let keeping else { return }
        for (number, name) in keeping.names {
            let old = JournalLocation.old(root: plan.changes[number].place.root, number: number)
            guard try places.status(old) != nil else { continue }
            let location = try places.location(old)
            try location.directory.move(
                location.name, to: keeping.directory, as: name, path: keeping.directory.path.appending(name))
        }
    }

    private func commit(_ journal: ApplyJournal, _ areas: [TransactionDirectory]) throws(CapsuleError) {
        let bytes = journal.encoded()
        guard UInt64(bytes.count) <= ApplyJournal.maximumLength, journal.roots.count <= ApplyJournal.maximumRoots else {
            throw CapsuleError("too many changes for one transaction")
        }
        for area in areas.dropFirst() { try area.sync() }
        try areas[0].commit(bytes)
    }

    private func withdraw(_ areas: [TransactionDirectory], after error: CapsuleError) throws(CapsuleError) {
        var code = CapsuleError.Code.unfinished
        do throws(CapsuleError) {
            // Unless it is certain that there is no journal, everything stays.
            try areas.first?.withdrawJournal()
            code = error.code
            for area in areas.reversed() { try area.clear() }
        } catch let second {
            let place = second.path.map { "\($0) " } ?? ""
            throw CapsuleError(
                code, "\(error.message); the staged files can't be deleted: \(place)\(second.message)",
                path: error.path, hint: "'capsule recover \(plan.roots[0].path.shellWord)' cleans up")
        }
    }

    private func rollBack(
        _ runner: StepRunner, _ end: TransactionEnd, done: Int, after error: CapsuleError
    ) throws(CapsuleError) {
        do throws(CapsuleError) {
            try end.rollBack(runner, done: done)
        } catch let second {
            let place = second.path.map { "\($0) " } ?? ""
            throw CapsuleError(
                .unfinished, "\(error.message); the rollback failed too: \(place)\(second.message)",
                path: error.path,
                hint: "'capsule recover \(plan.roots[0].path.shellWord)' completes it or rolls it back")
        }
    }

    package static func checkPlaces(of plan: ApplyPlan) throws(CapsuleError) {
        for change in plan.changes {
            let path = plan.roots[change.place.root].hostPath(of: change.place.path)
            if change.place.path.components.first?.elementsEqual(ContainerNames.transaction) == true {
                throw CapsuleError("is a name reserved for transactions", path: path)
            }
            if change.place.path.isRoot, !change.isKept {
                throw CapsuleError("is the container directory itself, which is never created or deleted", path: path)
            }
        }
    }
}

/// Ends a transaction after its steps, either way.
struct TransactionEnd {
    /// The staging directories. The first one has the journal.
    private let areas: [TransactionDirectory]
    private let journal: ApplyJournal

    init(_ areas: [TransactionDirectory], _ journal: ApplyJournal) {
        self.areas = areas
        self.journal = journal
    }

    /// Returns true if each step syncs what it settles. Otherwise, everything is synced at the end.
    static func syncsEach(_ journal: ApplyJournal) -> Bool {
        var count = 0
        for case .setMetadata(_, _, let kind, _, _) in journal.steps where kind != .link { count += 1 }
        return count <= Durability.limit
    }

    func sync() throws(CapsuleError) {
        if Self.syncsEach(journal) { return }
        for area in areas { try area.root.syncFileSystem() }
    }

    /// Records that the steps are done. From now on, nothing is undone.
    func markDone() throws(CapsuleError) {
        try areas[0].markDone()
    }

    /// Undoes the steps and deletes the staging directories.
    /// - Parameter done: the number of steps that were done, in a transaction that is still running. The next step may be half
    ///   done, and all later ones were not begun. nil if this is not known.
    /// - Throws: if not everything could be undone. Then the journal still exists. Leftovers are not an error.
    func rollBack(_ runner: StepRunner, done: Int?) throws(CapsuleError) {
        for (number, step) in journal.steps.enumerated().reversed() where number <= done ?? number {
            try runner.backward(step, wasDone: done.map { number < $0 } ?? false)
        }
        try sync()
        try areas[0].removeJournal()
        for area in areas.reversed() { try? area.clear() }
    }

    func clear() throws(CapsuleError) {
        // Old entries may be deleted only when nothing can bring the journal back.
        try areas[0].top.sync()
        for area in areas.reversed() { try area.clear() }
    }
}

/// Finds names for one directory that the file system does not accept, or does not distinguish, by trying them in the staging
/// directory.
struct NameCollisionProbe {
    private let plan: ApplyPlan
    private let areas: [TransactionDirectory]
    /// Creates a name in a directory. Throws `exists` if the name is taken.
    private let make: (RootDirectory, [UInt8]) throws(CapsuleError) -> Void

    init(
        _ plan: ApplyPlan, _ areas: [TransactionDirectory],
        make: @escaping (RootDirectory, [UInt8]) throws(CapsuleError) -> Void = {
            (directory, name) throws(CapsuleError) in try directory.makePrivateDirectory(name)
        }
    ) {
        self.plan = plan
        self.areas = areas
        self.make = make
    }

    /// - Throws: for the first two names that collide, naming both, and for the first name that is not accepted at all.
    func run() throws(CapsuleError) {
        let wanted = plan.changes.lazy.filter { $0.wanted != nil && !$0.place.path.isRoot }
        try NameProbe(wanted.map { $0.place }, for: .changing).run(
            in: { (root) throws(CapsuleError) in try areas[root].makeProbe() }, make: make,
            shown: { plan.roots[$0.root].hostPath(of: $0.path) })
    }
}
