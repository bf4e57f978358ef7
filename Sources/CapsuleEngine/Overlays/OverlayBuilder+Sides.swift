import CapsuleCore

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
