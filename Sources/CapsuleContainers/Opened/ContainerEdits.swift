package import CapsuleCore

/// Edits of a container in memory: entries are added, replaced or removed, and all others stay unchanged.
package struct ContainerEdits {
    /// An entry and the origin of its bytes.
    package struct Item: Sendable {
        package var entry: TreeEntry
        package var origin: EntryContents.Origin

        package init(entry: TreeEntry, origin: EntryContents.Origin) {
            self.entry = entry
            self.origin = origin
        }

        package func open(in base: OpenedContainer) throws(CapsuleError) -> any OpenContent {
            switch origin {
            case .own(let number): try base.open(number)
            case .bytes(let bytes): InMemoryContent(bytes, as: entry)
            case .opened(let open): try open()
            }
        }
    }

    /// The container before the edits. Its digests may be completed later.
    package var base: OpenedContainer
    private var edited: [EntryPath: Item?] = [:]

    package init(_ base: OpenedContainer) { self.base = base }

    /// The item that is now at a place; nil for none. Setting nil removes the entry.
    package subscript(place: EntryPath) -> Item? {
        get {
            if let item = edited[place] { return item }
            guard let number = base.entries.index(at: place) else { return nil }
            return Item(entry: base.entries[number], origin: .own(number))
        }
        set { edited[place] = .some(newValue) }
    }

    package func finished() -> OpenedContainer {
        if edited.isEmpty { return base }
        var items: [Item] = []
        items.reserveCapacity(base.entries.count + edited.count)
        var own: Set<EntryPath> = []
        for (number, entry) in base.entries.enumerated() {
            let place = entry.place
            guard let change = edited[place] else {
                items.append(Item(entry: entry, origin: .own(number)))
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
        result.contents.edit(result.entries, items.map(\.origin))
        return result
    }
}
