import CapsuleCore

/// Picks entries by the paths that a user names: each with all below it, and the directories it lies in.
enum EntrySelection {
    /// The numbers of the entries that are picked, in order; all, where no path is named.
    ///
    /// - Throws: ``CapsuleError`` with the code `notFound` for a path that nothing has.
    static func numbers(of paths: [[UInt8]], in container: OpenedContainer) throws(CapsuleError) -> [UInt32] {
        let entries = container.entries
        if paths.isEmpty { return Array(0..<UInt32(entries.count)) }
        var picked = [Bool](repeating: false, count: entries.count)
        var needed: Set<Place> = []
        for bytes in paths {
            let path = try path(bytes)
            var isFound = path.isRoot
            for (number, entry) in entries.enumerated()
            where isNamed(entry) && entry.path.isAtOrBelow(path) {
                isFound = true
                picked[number] = true
            }
            guard isFound else {
                throw CapsuleError(
                    .notFound, "is not in the container", path: HostPath(bytes), hint: "'capsule ls' lists what is")
            }
        }
        for (number, entry) in entries.enumerated() where picked[number] { addAncestors(of: entry, to: &needed) }
        for (number, entry) in entries.enumerated() where needed.contains(Place(root: entry.root, path: entry.path)) {
            picked[number] = true
        }
        return (0..<UInt32(entries.count)).filter { picked[Int($0)] }
    }

    private struct Place: Hashable {
        let root: TreeRoot
        let path: RelativePath
    }

    private static let appData = try? RelativePath(validating: ContainerShape.appData)

    /// Whether a path can mean the entry: the bundle's own directory and `AppData` are only there for what is in them.
    private static func isNamed(_ entry: TreeEntry) -> Bool {
        entry.root != .wrapper || (!entry.path.isRoot && entry.path != appData)
    }

    /// A path as users write them: with `./` before and `/` behind.
    private static func path(_ bytes: [UInt8]) throws(CapsuleError) -> RelativePath {
        let components = bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
        if components.isEmpty, bytes.first != UInt8(ascii: "/") { return .root }
        do throws(PathError) {
            let joined = Array(components.joined(separator: [UInt8(ascii: "/")]))
            return try RelativePath(validating: bytes.first == UInt8(ascii: "/") ? [UInt8(ascii: "/")] + joined : joined)
        } catch {
            throw CapsuleError(.usage, error.message, path: HostPath(bytes))
        }
    }

    /// The directories that hold an entry, in whichever root they are.
    private static func addAncestors(of entry: TreeEntry, to needed: inout Set<Place>) {
        var next = entry.path.parent
        while let parent = next {
            // Once one is there, all above it are.
            if !parent.isRoot, !needed.insert(Place(root: entry.root, path: parent)).inserted { return }
            if entry.root != .tree { needed.insert(Place(root: .wrapper, path: parent)) }
            next = parent.parent
        }
        needed.insert(Place(root: .wrapper, path: .root))
        if entry.root == .tree, let appData { needed.insert(Place(root: .wrapper, path: appData)) }
    }
}

extension OpenedContainer {
    /// The container with only some of its entries.
    func selecting(_ numbers: [UInt32]) -> OpenedContainer {
        if numbers.count == entries.count { return self }
        var selected = self
        selected.entries = numbers.map { entries[Int($0)] }
        // A live container's files are found by their paths, not by numbers.
        if let content = content as? any PiecewiseContent { selected.content = SelectedContent(content, numbers: numbers) }
        return selected
    }
}
