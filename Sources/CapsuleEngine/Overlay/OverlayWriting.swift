public import CapsuleCore

/// Where the overlay goes that turns one container into another, and what it has.
public struct OverlayWriting: Sendable {
    /// Where it goes.
    public let output: OverlayOutput
    /// Whether property lists are changed by their values alone, and their bytes left out.
    public var isByValue = false
    /// Whether what is needed for the way back is left out.
    public var isOneWay = false
    /// Whether files that changed in places are carried whole, so that they can be merged.
    public var carriesWhole = false
    /// The moment that the manifest has.
    public let captured: Timestamp

    /// An overlay with the way back, and with all bytes.
    public init(_ output: OverlayOutput, captured: Timestamp) {
        self.output = output
        self.captured = captured
    }

    /// Writes what turns one side into the other.
    func write(
        _ old: ComparedSide, _ new: ComparedSide, _ options: ComparisonOptions, progress: (any ProgressObserver)?
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

extension Comparison {
    /// What differs, by path, as without an overlay, which is written first.
    ///
    /// - Parameters:
    ///   - old: the container as it was.
    ///   - new: the container as it is.
    ///   - overlay: what takes the overlay that turns the one into the other, if one is wanted.
    /// - Throws: for a container that can't be read; a file of it that can't is told in the result, unless there is an overlay to
    ///   be written.
    public func run(
        _ old: Container, _ new: Container, writing overlay: OverlayWriting?
    ) throws(CapsuleError) -> ContainerDiff {
        guard let overlay else { return try run(old, new) }
        return try run(old, new) { (old, new, options, progress) throws(CapsuleError) in
            try overlay.write(old, new, options, progress: progress)
        }
    }
}

extension OverlayBuilder {
    /// What turns one side of a comparison into the other, noise included; app groups that are not compared are left out.
    ///
    /// - Throws: where not all of a side is known.
    init(turning old: ComparedSide, into new: ComparedSide, options: Options) throws(CapsuleError) {
        self.init(origin: OverlayPackage.Origin(turning: old, into: new), options: options)
        try Self.refuseUnread(old)
        try Self.refuseUnread(new)
        var places: [RelativePath: (old: Int?, new: Int?)] = [:]
        for place in old.comparedPlaces { places[old.tree.entries[place].path, default: (nil, nil)].old = place }
        for place in new.comparedPlaces { places[new.tree.entries[place].path, default: (nil, nil)].new = place }
        var changed: Set<RelativePath> = []
        for (path, place) in places {
            if let before = place.old.map(old.sideEntry), let after = place.new.map(new.sideEntry), before.isSame(as: after) {
                continue
            }
            changed.insert(path)
        }
        let units = OverlayUnits(old: old, new: new, places: places)
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
            throw CapsuleError(
                "can't be listed, and an overlay needs every file: \(reason)", path: HostPath(path.bytes))
        }
    }
}

extension ComparedSide {
    /// The places of entries that are compared.
    fileprivate var comparedPlaces: [Int] {
        tree.entries.indices.filter { place in
            let entry = tree.entries[place]
            guard entry.isCompared else { return false }
            return entry.root.groupNumber.map { $0 >= tree.groups.count || !tree.passedOver.contains(tree.groups[$0]) } ?? true
        }
    }

    /// An entry of the tree, as an overlay's builder takes it.
    func sideEntry(_ place: Int) -> SideEntry {
        let entry = tree.entries[place]
        return SideEntry(
            entry: entry, hasMode: !tree.withoutModes.contains(place), hasAttributes: tree.hasAttributes
        ) { [content] () throws(CapsuleError) in try content.open(entry, number: place) }
    }
}

extension OverlayPackage.Origin {
    /// What an overlay is for that is made of two containers: the first one, as far as it says what it is.
    fileprivate init?(turning old: ComparedSide, into new: ComparedSide) {
        guard var origin = old.origin, let other = new.origin else { return nil }
        origin.source.archive = nil
        origin.source.bundleIdentifier = origin.source.bundleIdentifier ?? other.source.bundleIdentifier
        // Names of one layout may mean something else in the other.
        if other.layout != origin.layout { origin.layout = .directory }
        origin.groups =
            origin.layout == .container
            ? Set(origin.groups).union(other.groups).sorted { $0.lexicographicallyPrecedes($1) } : []
        self = origin
    }
}

/// The files of two trees that are one with a database: where one of them changes, the others must be what they were.
struct OverlayUnits {
    let old: ComparedSide
    let new: ComparedSide
    /// By path: their places among the entries of both trees.
    let places: [RelativePath: (old: Int?, new: Int?)]

    /// The paths that records must speak of since something of their units changes: of each unit's database, its logs, whether
    /// they are there or not, and what is in its support directory.
    ///
    /// Never its `-shm`: one that changed has an ordinary record, so that a tree is what it was to be, but whoever applies it
    /// takes the old state of a `-shm` for no precondition. Its bytes tell nothing.
    func guards(for changed: some Sequence<RelativePath>) -> Set<RelativePath> {
        var databases: Set<RelativePath> = []
        // A directory of blobs may hold many.
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

    /// - Parameter paths: all of them, by bytes.
    private func found(_ candidate: DatabaseUnit.Candidate, in paths: [RelativePath]) -> [RelativePath] {
        var found = isDatabase(candidate.path) ? [candidate.path] : []
        if !candidate.isStem { return found }
        let start = candidate.path.bytes + [UInt8(ascii: ".")]
        for path in paths[Self.firstPlace(in: paths, notBefore: start)...] {
            guard path.bytes.starts(with: start) else { break }
            let isExtension = !path.bytes.dropFirst(start.count).contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
            if isExtension, isDatabase(path) { found.append(path) }
        }
        return found
    }

    private static func firstPlace(in paths: [RelativePath], notBefore bytes: [UInt8]) -> Int {
        var (low, high) = (0, paths.count)
        while low < high {
            let middle = (low + high) / 2
            if paths[middle].bytes.lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isDatabase(_ path: RelativePath) -> Bool {
        guard let place = places[path] else { return false }
        return place.old.map(old.isDatabase) == true || place.new.map(new.isDatabase) == true
    }
}
