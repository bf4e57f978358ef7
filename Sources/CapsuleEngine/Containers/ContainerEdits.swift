import CapsuleCore

/// A container in which entries are put, replaced and taken away, in memory; the others stay as they are.
struct ContainerEdits {
    /// A place in the container.
    struct Place: Hashable, Sendable {
        let root: TreeRoot
        let path: RelativePath
    }

    /// An entry, and where its bytes come from.
    struct Item: Sendable {
        var entry: TreeEntry
        var source: OverlaidContent.Source

        /// Opens a file, as one of a container that was edited.
        func open(in base: OpenedContainer) throws(CapsuleError) -> any OpenContent {
            switch source {
            case .own(let number): try base.content.open(base.entries[number], number: number)
            case .madeUp(let bytes): InMemoryContent(bytes, as: entry)
            case .opened(let open): try open()
            }
        }
    }

    /// The container as it was; its digests may be completed.
    var base: OpenedContainer
    private var edited: [Place: Item?] = [:]

    init(_ base: OpenedContainer) { self.base = base }

    /// Whether nothing was changed.
    var isEmpty: Bool { edited.isEmpty }

    /// What is at a place now; nil for nothing.
    subscript(place: Place) -> Item? {
        get {
            if let item = edited[place] { return item }
            guard let number = base.entries.place(of: place.path, in: place.root) else { return nil }
            return Item(entry: base.entries[number], source: .own(number))
        }
        set { edited[place] = .some(newValue) }
    }

    /// The container with all of it.
    func finished() -> OpenedContainer {
        if edited.isEmpty { return base }
        var items: [Item] = []
        items.reserveCapacity(base.entries.count + edited.count)
        var own: Set<Place> = []
        for (number, entry) in base.entries.enumerated() {
            let place = Place(root: entry.root, path: entry.path)
            guard let change = edited[place] else {
                items.append(Item(entry: entry, source: .own(number)))
                continue
            }
            own.insert(place)
            if let change { items.append(change) }
        }
        for (place, item) in edited where !own.contains(place) {
            if let item { items.append(item) }
        }
        items.sort { TreeEntry.isOrdered($0.entry, before: $1.entry) }
        var result = base
        result.entries = items.map(\.entry)
        result.content = OverlaidContent(
            base.piecewiseContent, sources: items.map(\.source), entries: result.entries)
        return result
    }
}
