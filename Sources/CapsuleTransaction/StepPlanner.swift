import CapsuleCore
import CapsuleSystem

/// Turns a plan whose new entries are staged into the steps of a journal, and checks that everything is still as the plan expects.
struct StepPlanner {
    /// A step, and the status that its entry must have when the step is done for the first time.
    struct PlannedStep {
        let step: JournalStep
        let expectation: FileStatus?
    }

    private let plan: ApplyPlan
    private let staging: StagedEntries
    private let spares: SpareDirectories
    private let places: EntryLocator
    private let changes: [TargetPath: ApplyPlan.Change]
    private var opening: [PlannedStep] = []
    private var leaving: [PlannedStep] = []
    private var coming: [PlannedStep] = []
    private var settling: [PlannedStep] = []
    private var closing: [(place: TargetPath, planned: PlannedStep)] = []

    init(_ plan: ApplyPlan, _ staging: StagedEntries, _ spares: SpareDirectories, _ places: EntryLocator) {
        self.plan = plan
        self.staging = staging
        self.spares = spares
        self.places = places
        changes = Dictionary(plan.changes.map { ($0.place, $0) }) { first, _ in first }
    }

    mutating func steps() throws(CapsuleError) -> [PlannedStep] {
        let numbers = plan.changes.indices.sorted { plan.changes[$0].place < plan.changes[$1].place }
        let leavingInodes = Set(plan.changes.compactMap { $0.isLeaving ? $0.present?.status.inode : nil })
        for number in numbers { try check(plan.changes[number], leavingInodes) }
        try planDirectories()
        // The contents of a directory are removed before the directory.
        for number in numbers.reversed() { planLeaving(number) }
        for number in numbers { try planComing(number) }
        // Once a directory is closed to its owner, nothing in it can be settled, so its contents come first.
        closing.sort { $0.place > $1.place }
        return opening + leaving + coming + settling + closing.map(\.planned)
    }

    private func check(_ change: ApplyPlan.Change, _ leavingInodes: Set<UInt64>) throws(CapsuleError) {
        let found = try status(change.place)
        let path = places.path(of: change.place)
        guard let present = change.present else {
            // On some file systems, a removed name is found under the spelling of a new one.
            guard let found, !leavingInodes.contains(found.inode) else { return }
            let other = try places.otherSpelling(of: change.place, inode: found.inode)
            if let other { throw .taken(for: other, at: path, .changing) }
            throw CapsuleError(
                .exists, "was created by another program in the meantime", path: path, hint: "move it elsewhere, then try again")
        }
        guard let found else { throw CapsuleError.changedMeanwhile(path) }
        let device = try places.root(of: change.place).status().device
        guard found.device == device else { throw staging.error(forOtherDevice: path, in: change.place.root) }
        let isSame =
            present.status.kind == .directory
            ? found.isSameFile(as: present.status) && found.kind == .directory && found.mode == present.status.mode
            : found.isSameState(as: present.status)
        guard isSame else { throw CapsuleError.changedMeanwhile(path) }
    }

    private mutating func planDirectories() throws(CapsuleError) {
        var touched = Set(plan.roots.indices.map { TargetPath(root: $0, path: .root) })
        for change in plan.changes {
            if change.present?.status.kind == .directory { touched.insert(change.place) }
            if change.isKept { continue }
            guard let parent = change.place.path.parent else { continue }
            touched.insert(TargetPath(root: change.place.root, path: parent))
        }
        for place in touched.sorted() {
            let change = changes[place]
            // The transaction creates the directory, so there is nothing to restore.
            if let change, change.present?.status.kind != .directory { continue }
            try planDirectory(place, change)
        }
    }

    private mutating func planDirectory(_ place: TargetPath, _ change: ApplyPlan.Change?) throws(CapsuleError) {
        guard let found = try status(place), found.kind == .directory else {
            throw CapsuleError("is not a directory, but a new entry must be created in it", path: places.path(of: place))
        }
        let temporary = FileMode(found.mode.rawValue | 0o700)
        opening.append(
            PlannedStep(
                step: .open(place, inode: found.inode, mode: found.mode, temporary: temporary, modified: found.modified),
                expectation: nil))
        if let change, change.isLeaving { return }
        var before = JournalStep.Metadata(mode: temporary)
        var after = JournalStep.Metadata(mode: found.mode, modified: plan.directoryTimes[place] ?? found.modified)
        if let wanted = change?.wanted {
            after.mode = wanted.mode(insteadOf: found.mode)
            after.modified = wanted.entry.modified
            StagedEntries.difference(
                from: try attributes(of: place, isDirectory: true), to: wanted.entry.attributes, &before, &after)
        }
        close(place, found.inode, before, after)
    }

    private mutating func close(
        _ place: TargetPath, _ inode: UInt64, _ before: JournalStep.Metadata, _ after: JournalStep.Metadata
    ) {
        let step = JournalStep.setMetadata(place, inode: inode, kind: .directory, before: before, after: after)
        closing.append((place, PlannedStep(step: step, expectation: nil)))
    }

    private mutating func planLeaving(_ number: Int) {
        let change = plan.changes[number]
        guard let present = change.present, change.isLeaving else { return }
        let isDirectory = present.status.kind == .directory
        if let spareInode = spares.inodes[number] {
            let step = JournalStep.delete(
                change.place, inode: present.status.inode, spare: spares.number(of: number), spareInode: spareInode)
            leaving.append(PlannedStep(step: step, expectation: nil))
            return
        }
        leaving.append(
            PlannedStep(
                step: .move(
                    inode: present.status.inode, isDirectory: isDirectory, from: .tree(change.place),
                    to: .old(root: change.place.root, number: number)),
                expectation: isDirectory ? nil : present.status))
    }

    private mutating func planComing(_ number: Int) throws(CapsuleError) {
        let change = plan.changes[number]
        guard let wanted = change.wanted else { return }
        if change.isKept {
            if let present = change.present, present.status.kind != .directory { try planFacts(change, present, wanted) }
            return
        }
        let place = change.place
        if let donor = staging.reusedFiles[number], let present = plan.changes[donor.number].present {
            let from = JournalLocation.old(root: place.root, number: donor.number)
            coming.append(
                PlannedStep(
                    step: .move(inode: present.status.inode, isDirectory: false, from: from, to: .tree(place)),
                    expectation: nil))
            var before = JournalStep.Metadata(mode: present.status.mode, modified: present.status.modified)
            var after = JournalStep.Metadata(mode: wanted.mode(insteadOf: present.status.mode), modified: wanted.entry.modified)
            StagedEntries.difference(from: donor.attributes, to: wanted.entry.attributes, &before, &after)
            settling.append(
                PlannedStep(
                    step: .setMetadata(place, inode: present.status.inode, kind: .file, before: before, after: after),
                    expectation: nil))
            return
        }
        guard let inode = staging.inodes[number] else {
            throw CapsuleError("was not staged", path: places.path(of: place))
        }
        let isDirectory = wanted.entry.kind == .directory
        coming.append(
            PlannedStep(
                step: .move(
                    inode: inode, isDirectory: isDirectory, from: .new(root: place.root, number: number), to: .tree(place)),
                expectation: nil))
        if isDirectory {
            let after = JournalStep.Metadata(
                mode: wanted.entry.mode.restorable(for: .directory), modified: wanted.entry.modified,
                attributes: wanted.entry.attributes)
            close(place, inode, JournalStep.Metadata(mode: FileMode(0o700)), after)
        }
    }

    private mutating func planFacts(
        _ change: ApplyPlan.Change, _ present: ApplyPlan.Present, _ wanted: ApplyPlan.Wanted
    ) throws(CapsuleError) {
        let isLink = present.status.kind == .link
        var before = JournalStep.Metadata(mode: isLink ? nil : present.status.mode, modified: present.status.modified)
        var after = JournalStep.Metadata(
            mode: isLink ? nil : wanted.mode(insteadOf: present.status.mode), modified: wanted.entry.modified)
        if !isLink {
            StagedEntries.difference(
                from: try attributes(of: change.place, isDirectory: false), to: wanted.entry.attributes, &before, &after)
        }
        settling.append(
            PlannedStep(
                step: .setMetadata(
                    change.place, inode: present.status.inode, kind: isLink ? .link : .file, before: before, after: after),
                expectation: present.status))
    }

    private func status(_ place: TargetPath) throws(CapsuleError) -> FileStatus? {
        do throws(CapsuleError) {
            return try places.status(place)
        } catch {
            throw StepRunner.explained(error)
        }
    }

    private func attributes(of place: TargetPath, isDirectory: Bool) throws(CapsuleError) -> [ExtendedAttribute] {
        let location = try places.location(place)
        let entry = try location.directory.openEntry(location.name, isDirectory: isDirectory)
        return try ExtendedAttributes.read(entry.raw, path: location.path).attributes
    }
}

extension ApplyPlan.Change {
    var isKept: Bool {
        guard let present, let wanted else { return false }
        if present.status.kind == .directory, wanted.entry.kind == .directory { return true }
        // The file may have another name outside of the tree, so the change gets a file of its own.
        if case .kept = wanted.content { return present.status.kind == .link || present.status.links == 1 }
        return false
    }

    var isLeaving: Bool { present != nil && !isKept }
}

extension ApplyPlan.Wanted {
    /// Returns the mode for an entry that now has the mode `present`. An equal mode stays, including bits that are never restored.
    func mode(insteadOf present: FileMode) -> FileMode {
        entry.mode == present ? present : entry.mode.restorable(for: entry.kind)
    }
}
