package import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
package import CapsuleRules

/// The destination and the options of an overlay that turns one container, or one property list, into another.
package struct OverlayExport: Sendable {
    package let output: OutputFile
    package var isByValue = false
    package var isOneWay = false
    package var carriesWhole = false
    /// True to write a partial property list, which is merged deeply.
    package var isPlain = false
    package let captured: Timestamp

    package init(_ output: OutputFile, captured: Timestamp) {
        self.output = output
        self.captured = captured
    }

    func write(
        _ old: ComparedSide, _ new: ComparedSide, _ options: DiffOptions, progress: (any ProgressObserver)?
    ) throws(CapsuleError) {
        var wanted = OverlayBuilder.Options()
        wanted.isByValue = isByValue
        wanted.isOneWay = isOneWay
        wanted.carriesWhole = carriesWhole
        wanted.arrays = options.arrays
        wanted.jobs = options.jobs
        let package = try OverlayBuilder(turning: old, into: new, options: wanted).package()
        let output = output.limited(to: [old.fileMode, new.fileMode].compactMap { $0 })
        try output.write(package, captured: captured, jobs: options.jobs, progress: progress)
    }
}

extension OverlayExport {
    /// Writes the overlay that turns one property list into another.
    /// - Returns: warnings about the files.
    /// - Throws: an error with the places if no partial property list can express the changes.
    func write(_ old: LooseFile, _ new: LooseFile, arrays: [ArrayIdentities.Rule]) throws(CapsuleError) -> [CapsuleError] {
        try InputPaths([old.path.bytes, new.path.bytes]).refuse(output.path, flag: "--overlay")
        let (before, after) = (try old.propertyList(), try new.propertyList())
        let identities = ArrayIdentities(arrays)
        var overlay: Overlay
        do throws(OverlayError) {
            let (old, new) = (before.document.value, after.document.value)
            overlay =
                try isPlain
                ? Overlay(plainTurning: old, into: new, identities: identities)
                : Overlay(turning: old, into: new, identities: identities)
        } catch {
            throw CapsuleError(error, in: before, applyingTo: before)
        }
        if !isPlain { overlay.arrays = identities.rules }
        try output.limited(to: [before, after].compactMap(\.mode)).write(overlay)
        return before.warnings + after.warnings
    }
}

extension ContainerDiffer {
    /// Returns the differences by path, and writes an overlay first if one is wanted.
    /// - Throws: `CapsuleError` for a container that can't be read. A file that can't be read is reported in the result, but is
    ///   an error if an overlay is written.
    package func run(
        _ old: Container, _ new: Container, writing overlay: OverlayExport?
    ) throws(CapsuleError) -> ContainerDiff {
        guard let overlay else { return try run(old, new) }
        return try run(old, new) { (old, new, options, progress) throws(CapsuleError) in
            try overlay.write(old, new, options, progress: progress)
        }
    }

    /// Returns the differences of two files, and writes an overlay first if one is wanted. These have to be property lists then.
    package func run(
        _ old: LooseFile, _ new: LooseFile, writing overlay: OverlayExport?
    ) throws(CapsuleError) -> ContainerDiff {
        let warnings = try overlay?.write(old, new, arrays: options.arrays) ?? []
        var diff = try run(old, new)
        diff.notes = warnings.map(\.description) + diff.notes
        return diff
    }
}

extension OverlayBuilder {
    /// Creates a builder for the overlay that turns one side of a comparison into the other, including noise. App groups that are
    /// not compared are left out.
    /// - Throws: ``CapsuleError`` if a part of a side could not be read.
    init(turning old: ComparedSide, into new: ComparedSide, options: Options) throws(CapsuleError) {
        self.init(origin: OverlayPackage.Origin(turning: old, into: new), options: options)
        try Self.refuseUnread(old)
        try Self.refuseUnread(new)
        var places: [RelativePath: (old: Int?, new: Int?)] = [:]
        for place in old.comparedPlaces { places[old.tree.entries[place].path, default: (nil, nil)].old = place }
        for place in new.comparedPlaces { places[new.tree.entries[place].path, default: (nil, nil)].new = place }
        var changed: Set<RelativePath> = []
        for (path, place) in places {
            if let before = place.old.map(old.sideEntry), let after = place.new.map(new.sideEntry),
                before.entry.isSame(as: after.entry)
            {
                continue
            }
            changed.insert(path)
        }
        let units = OverlayUnitFinder(old: old, new: new, places: places)
        for path in changed.union(units.guards(for: changed)) {
            let place = places[path]
            add(path, from: place?.old.map(old.sideEntry), to: place?.new.map(new.sideEntry))
        }
    }

    private static func refuseUnread(_ side: ComparedSide) throws(CapsuleError) {
        if let (place, failure) = side.failures.min(by: { $0.key < $1.key }) {
            throw CapsuleError(
                failure.code, "can't be read, and an overlay needs every file: \(failure.message)",
                path: HostPath(side.tree.entries[place].path.bytes), hint: failure.hint)
        }
        if let (path, reason) = side.unlisted.min(by: { $0.key < $1.key }) {
            throw CapsuleError("can't be listed, and an overlay needs every file: \(reason)", path: HostPath(path.bytes))
        }
    }
}

extension ComparedSide {
    fileprivate var comparedPlaces: [Int] {
        tree.entries.indices.filter { place in
            let entry = tree.entries[place]
            guard entry.isCompared else { return false }
            return entry.root.groupNumber.map { $0 >= tree.groups.count || !tree.skippedGroups.contains(tree.groups[$0]) } ?? true
        }
    }

    func sideEntry(_ place: Int) -> SideEntry {
        let entry = tree.entries[place]
        return SideEntry(
            entry: entry
        ) { [contents] () throws(CapsuleError) in try contents.open(entry, number: place) }
    }
}

extension OverlayPackage.Origin {
    /// Creates the description of the container that an overlay between two containers is for: the first one, with facts that
    /// only the second one has.
    fileprivate init?(turning old: ComparedSide, into new: ComparedSide) {
        guard var origin = old.origin, let other = new.origin else { return nil }
        origin.source.archive = nil
        origin.source.bundleIdentifier = origin.source.bundleIdentifier ?? other.source.bundleIdentifier
        // The same names may have another meaning in the other layout.
        if other.layout != origin.layout { origin.layout = .directory }
        origin.groups =
            origin.layout == .container
            ? Set(origin.groups).union(other.groups).sorted { $0.lexicographicallyPrecedes($1) } : []
        self = origin
    }
}

/// The units of databases in two trees. If one file of a unit changes, the others must be in their old state.
struct OverlayUnitFinder {
    let old: ComparedSide
    let new: ComparedSide
    let places: [RelativePath: (old: Int?, new: Int?)]

    /// Returns the paths that need records because something in their units changes: each unit's database, its logs, even if they
    /// don't exist, and the content of its support directory. A `-shm` file is never included. If it changed, it has an ordinary
    /// record, so that the tree gets its wanted state. An overlay treats the old state of a `-shm` file as no precondition,
    /// because the bytes of the file don't matter.
    func guards(for changed: some Sequence<RelativePath>) -> Set<RelativePath> {
        var databases: Set<RelativePath> = []
        // A support directory may contain many files.
        var candidates: Set<DatabaseUnit.Candidate> = []
        for path in changed {
            if isDatabase(path) { databases.insert(path) }
            candidates.formUnion(DatabaseUnit.databases(ofMember: path))
        }
        let paths = candidates.contains(where: \.isStem) ? places.keys.sorted() : []
        for candidate in candidates { databases.formUnion(found(candidate, in: paths)) }
        var guards: Set<RelativePath> = []
        var supports: Set<RelativePath> = []
        for database in databases {
            guards.insert(database)
            for suffix in DatabaseUnit.logSuffixes {
                if let log = try? RelativePath(validating: database.bytes + suffix) { guards.insert(log) }
            }
            if let support = DatabaseUnit.support(of: database) { supports.insert(support) }
        }
        if supports.isEmpty { return guards }
        for path in places.keys where path.isAtOrBelow(where: supports.contains) { guards.insert(path) }
        return guards
    }

    private func found(_ candidate: DatabaseUnit.Candidate, in paths: [RelativePath]) -> [RelativePath] {
        var found = isDatabase(candidate.path) ? [candidate.path] : []
        if !candidate.isStem { return found }
        let start = candidate.path.bytes + [UInt8(ascii: ".")]
        for path in paths[paths.indexOfFirst(notBefore: { $0.bytes.lexicographicallyPrecedes(start) })...] {
            guard path.bytes.starts(with: start) else { break }
            let isExtension = !path.bytes.dropFirst(start.count).contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
            if isExtension, isDatabase(path) { found.append(path) }
        }
        return found
    }

    private func isDatabase(_ path: RelativePath) -> Bool {
        guard let place = places[path] else { return false }
        return place.old.map(old.isDatabase) == true || place.new.map(new.isDatabase) == true
    }
}
