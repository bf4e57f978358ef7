package import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
package import CapsuleRules
import CapsuleSystem

/// Compares two containers of any form.
package struct ContainerDiffer: Sendable {
    let options: DiffOptions
    private let progress: (any ProgressObserver)?

    package init(_ options: DiffOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Compares two containers. Entries are sorted by path, classified by the rules and judged by the expectation, if there is one.
    /// - Throws: an error if a container can't be read. A file that can't be read is reported in the result.
    package func run(_ old: Container, _ new: Container) throws(CapsuleError) -> ContainerDiff {
        try run(old, new, beforeComparing: nil)
    }

    typealias Preparation = (
        _ old: ComparedSide, _ new: ComparedSide, DiffOptions, (any ProgressObserver)?
    ) throws(CapsuleError) -> Void

    /// - Parameter prepare: called with both sides, including the entries that don't differ; nil if there is nothing to do.
    func run(
        _ old: Container, _ new: Container, beforeComparing prepare: Preparation?
    ) throws(CapsuleError) -> ContainerDiff {
        var sides = try open(old, new, isWhole: prepare != nil)
        var skippedGroups = Self.skipGroups(of: &sides.new, against: sides.old)
        skippedGroups += Self.skipGroups(of: &sides.old, against: sides.new)
        skippedGroups.removeAll { $0 == ContainerNames.keychain }
        let keychainNote = skipKeychain(of: &sides)
        if let prepare { try prepare(sides.old, sides.new, options, progress) }
        var diff = try compare(sides.old, sides.new, named: (old.argument, new.argument))
        diff.skippedGroups = skippedGroups + (keychainNote == nil ? [] : [ContainerNames.keychain])
        diff.notes += [keychainNote].compactMap(\.self)
        diff.notes += skippedGroups.map { group in
            "the app group \(String(decoding: group, as: UTF8.self)) is not compared: name the other side's directory with '--group'"
        }
        for (number, pattern) in options.excluded.enumerated() {
            let paths = sides.old.excluded[number].union(sides.new.excluded[number])
            diff.excluded.append(ContainerDiff.Excluded(pattern: pattern.pattern, paths: paths))
        }
        diff.notes += diff.excluded.filter { !$0.paths.isEmpty }.map { excluded in
            let count = Quantity.counted(UInt64(excluded.paths.count), "entry that matches", "entries that match")
            return "not compared: \(count) '\(HostPath(excluded.pattern))'"
        }
        diff.notes += Self.notes(on: diff.metadataGaps) + Self.notes(onSpecialFilesOf: sides.old, sides.new)
        return diff
    }

    /// Compares two files of any kind. The result has one entry, with the name of the newer file. Modes are not compared.
    package func run(_ old: LooseFile, _ new: LooseFile) throws(CapsuleError) -> ContainerDiff {
        let remarks = WarningLog()
        let name = new.name ?? old.name ?? Array("standard input".utf8)
        let sides = try ParallelMap.run(2, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> ComparedSide in
            let file = try (number == 0 ? old : new).open(as: name, jobs: options.jobs, remarks: remarks)
            return try ComparedSide(file, options, progress: progress)
        }
        var diff = try compare(sides[0], sides[1], named: (old.path.bytes, new.path.bytes))
        diff.notes += remarks.all.map(\.description)
        return diff
    }

    func compare(
        _ old: ComparedSide, _ new: ComparedSide, named names: (old: [UInt8], new: [UInt8])
    ) throws(CapsuleError) -> ContainerDiff {
        var (old, new) = (old, new)
        if options.skipsKeychain {
            old.tree.skippedGroups.insert(ContainerNames.keychain)
            new.tree.skippedGroups.insert(ContainerNames.keychain)
        }
        let content = EntryDiffer(old, new, options)
        var treeOptions = TreeDiff.Options()
        treeOptions.times = options.times
        let unlisted = UnlistedDirectories(old: old, new: new)
        let trees = TreeDiff(old.tree, new.tree, treeOptions)
        var grouping = UnitGrouping(old.tree, new.tree) { isNew, place in (isNew ? new : old).isDatabase(place) }
        let groups = grouping.groups(unlisted.known(trees.items))
        try content.fetch(groups)
        // Large groups are compared first, so that the others run beside them.
        let order = groups.indices.sorted { content.size(of: groups[$0]) > content.size(of: groups[$1]) }
        let found = try ParallelMap.run(order.count, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [EntryChange] in
            try CapsuleError.checkInterruption()
            return try content.compare(groups[order[number]])
        }
        var entries = found.flatMap { $0 }
        entries += content.unlisted(besides: entries)
        entries.sort { $0.path < $1.path }
        var diff = ContainerDiff(
            old: ContainerDiff.Side(source: names.old, tree: old.treeDigest, origin: old.shownOrigin),
            new: ContainerDiff.Side(source: names.new, tree: new.treeDigest, origin: new.shownOrigin),
            entries: entries, isComplete: entries.allSatisfy(\.isComplete))
        if options.judging.expectation != nil, old.unlisted.isEmpty, new.unlisted.isEmpty {
            // The wrapper around a container and the identity are not compared.
            diff.paths = (old.tree.entries + new.tree.entries).filter { $0.isListed && $0.kind != .identity }.map(\.path)
        }
        diff.metadataGaps = trees.gaps
        diff.captured = new.captured
        diff.notes = Self.notes(onUnrestoredBitsIn: trees, old, new)
        return diff
    }

    private static func notes(onUnrestoredBitsIn trees: TreeDiff, _ old: ComparedSide, _ new: ComparedSide) -> [String] {
        let count = trees.items.count { item in
            guard let before = item.old.map({ old.tree.entries[$0] }), let after = item.new.map({ new.tree.entries[$0] }) else {
                return false
            }
            return old.isLive && item.isRestored(before, from: after) || new.isLive && item.isRestored(after, from: before)
        }
        return count > 0 ? [TreeDiff.Item.note(onUnrestoredBits: count)] : []
    }

    private static func notes(on gaps: [MetadataGap]) -> [String] {
        [MetadataGap.Facts.mode, .attributes].compactMap { facts in
            let paths = gaps.lazy.filter { $0.facts == facts }.map(\.path)
            guard let first = paths.first else { return nil }
            let more = paths.count > 1 ? " and \(paths.count - 1) more" : ""
            return "\(facts.words) are not compared because only one side can have them: \(first)\(more)"
        }
    }

    /// Returns a note on the sockets, pipes and devices that only one side has. No form of a container holds them, so they are not
    /// compared.
    private static func notes(onSpecialFilesOf old: ComparedSide, _ new: ComparedSide) -> [String] {
        let differing = Set(old.specialFiles).symmetricDifference(new.specialFiles)
            .sorted { $0.path.lexicographicallyPrecedes($1.path) }
        guard let first = differing.first else { return [] }
        let more = differing.count > 1 ? " and \(differing.count - 1) more" : ""
        return ["sockets, pipes and devices are not compared: \(HostPath(first.shownPath))\(more)"]
    }

    /// Leaves out the app groups of a side if the other side is a live container without any: its groups are in other directories.
    /// - Returns: the identifiers of these groups.
    private static func skipGroups(of side: inout ComparedSide, against other: ComparedSide) -> [[UInt8]] {
        guard other.isLive, other.tree.groups.isEmpty, !side.tree.groups.isEmpty else { return [] }
        side.tree.skippedGroups = Set(side.tree.groups)
        return side.tree.groups
    }

    /// Leaves out the device's keychain if the options say so, or if only one side has it: then it was not captured, or not asked for.
    /// - Returns: the note that says so; nil if no side has one, or both are compared.
    private func skipKeychain(of sides: inout (old: ComparedSide, new: ComparedSide)) -> String? {
        let have = [sides.old, sides.new].filter { $0.tree.groups.contains(ContainerNames.keychain) }.count
        guard have == 1 || have == 2 && options.skipsKeychain else { return nil }
        // What is written from the sides lacks it, too.
        sides.old.tree.skippedGroups.insert(ContainerNames.keychain)
        sides.new.tree.skippedGroups.insert(ContainerNames.keychain)
        return have == 1
            ? "the device's keychain is not compared: only one side has it; '--keychain' reads that of a simulator"
            : "the device's keychain is left out: '--keychain' includes it"
    }

    /// - Parameter isWhole: true if entries that don't differ are needed, too.
    private func open(
        _ old: Container, _ new: Container, isWhole: Bool
    ) throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        try old.refuseOverlay()
        try new.refuseOverlay()
        // Entries that don't differ are needed to find out if a clause can match anything.
        if isWhole || !options.paths.isEmpty || !options.excluded.isEmpty || options.judging.hasExpectation {
            let sides = try completeSides(old, new)
            for missing in sides.old.unmatched {
                guard let other = sides.new.unmatched.first(where: { $0.error.path == missing.error.path }) else { continue }
                throw Self.unmatched(missing, other)
            }
            return sides
        }
        if options.depth == .entries, let capsules = try IndexDiffer(old, new, options) { return try capsules.sides() }
        if try new.isLive, let stored = try UnchangedFastPath(old, options) {
            let live = try side(new)
            if let sides = try stored.sides(with: live) { return (sides.stored, sides.live) }
            return (try side(old), live)
        }
        if try old.isLive, let stored = try UnchangedFastPath(new, options) {
            let live = try side(old)
            if let sides = try stored.sides(with: live) { return (sides.live, sides.stored) }
            return (live, try side(new))
        }
        return try completeSides(old, new)
    }

    private static func unmatched(_ old: UnmatchedPath, _ new: UnmatchedPath) -> CapsuleError {
        if let explained = [old, new].first(where: \.isExplained) { return explained.error }
        return CapsuleError(
            .notFound, "matches nothing on either side", path: old.error.path,
            hint: old.suggestion ?? new.suggestion ?? "'capsule ls' lists what is in each")
    }

    private func completeSides(
        _ old: Container, _ new: Container
    ) throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        let sides = try ParallelMap.run(2, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> ComparedSide in try side(number == 0 ? old : new)
        }
        return (sides[0], sides[1])
    }

    private func side(_ container: Container) throws(CapsuleError) -> ComparedSide {
        try ComparedSide(container, options, progress: progress)
    }
}

/// Options for comparing two containers.
package struct DiffOptions: Sendable {
    package enum Depth: Sendable {
        /// Compares entries and small property lists. For two capsules, little more than the indexes is read.
        case entries
        case contents
    }

    package var depth = Depth.contents
    /// The paths or patterns to compare, with everything below them; empty for everything. `PATH:TABLE` is a table of a database.
    /// A path or a table that only one side has is not an error.
    package var paths: [[UInt8]] = []
    /// The patterns of entries that are not compared, with everything below them and the other files of a database.
    package var excluded: [Glob] = []
    package var times = false
    /// The number of unchanged lines to keep around changed lines of a text.
    package var context = 3
    /// The most rows of a table to keep, besides rows that are noise; nil for all. All rows are judged.
    package var rows: Int? = 1_000
    /// The most lines of a text to keep; nil for all.
    package var lines: Int? = 1_000
    package var isFull = false
    /// True if changed images are kept for a report that shows them.
    package var keepsPictures = false
    package var describesSides = false
    /// True if tree digests are needed. All files of live containers and archives are then read.
    package var needsTreeDigests = false
    package var judging = Judging()
    /// The most time to spend on each side of one database; nil for no limit. Reaching the limit makes the result inexact.
    package var databaseTime: Duration? = .seconds(60)
    /// The rules for pairing the elements of arrays. They come before the built-in rules.
    package var arrays: [ArrayIdentities.Rule] = []
    package var groups: [(identifier: [UInt8], directory: HostPath)] = []
    /// True to leave out the device's keychain.
    package var skipsKeychain = false
    package var usesCache = true
    package var jobs = 1

    package init() {}

    var contents: ContentOptions {
        ContentOptions(context: context, lines: lines, keepsAllValues: isFull || judging.describes, arrays: arrays)
    }

    func excludes(_ path: [UInt8]) -> Bool {
        guard !excluded.isEmpty, let path = try? RelativePath(validating: path) else { return false }
        return path.isAtOrBelow { above in excluded.contains { $0.matches(above) } }
    }
}

/// The directories of two sides that could not be listed. What the other side has in them is neither added nor deleted.
private struct UnlistedDirectories {
    let old: ComparedSide
    let new: ComparedSide

    /// Returns the items without those that are missing on one side only because their directory could not be listed.
    func known(_ items: [TreeDiff.Item]) -> [TreeDiff.Item] {
        if old.unlisted.isEmpty, new.unlisted.isEmpty { return items }
        return items.filter { item in
            switch (item.old, item.new) {
            case (let place?, nil): !Self.isBelow(old.tree.entries[place].path, new.unlisted)
            case (nil, let place?): !Self.isBelow(new.tree.entries[place].path, old.unlisted)
            default: true
            }
        }
    }

    private static func isBelow(_ path: RelativePath, _ directories: [RelativePath: String]) -> Bool {
        if directories.isEmpty { return false }
        var parent = path.parent
        while let directory = parent {
            if directories[directory] != nil { return true }
            parent = directory.parent
        }
        return false
    }
}

extension TreeDiff.Item {
    /// True if the present entry lacks only mode bits of the wanted one that are never restored.
    func isRestored(_ present: TreeEntry, from wanted: TreeEntry) -> Bool {
        kind == .modified && !hasOtherContent && metadata.map(\.field) == [.mode]
            && present.mode == wanted.mode.restorable(for: wanted.kind)
    }

    static func note(onUnrestoredBits count: Int) -> String {
        Quantity.counted(UInt64(count), "entry differs", "entries differ")
            + " only in bits that restore never sets (setuid, setgid, a file's sticky bit)"
    }
}
