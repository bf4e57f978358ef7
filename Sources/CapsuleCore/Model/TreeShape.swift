/// Whether entries make up a tree: each in a directory that is there, none twice, none in another's place.
public enum TreeShape {
    /// What is wrong with an entry.
    public struct Problem: Error, Hashable, Sendable {
        /// Where it is.
        public let path: RelativePath
        /// Lower case, no period.
        public let message: String
    }

    /// - Parameters:
    ///   - entries: in the order of the index.
    ///   - layout: what the tree is of.
    ///   - groups: the app groups' identifiers, in the order of their roots.
    ///   - isOverlay: whether they are an overlay capsule's, which may carry contents that are no files of the tree.
    /// - Returns: the first problem, or nil.
    public static func problem(
        in entries: [TreeEntry], layout: ContainerLayout, groups: [[UInt8]], isOverlay: Bool = false
    ) -> Problem? {
        let tops = groups.map { ContainerNames.appGroups + [RelativePath.slash] + $0 + [RelativePath.slash] }
        var lastParent: (root: TreeRoot, path: RelativePath)?
        for (number, entry) in entries.enumerated() {
            func problem(_ message: String) -> Problem { Problem(path: entry.path, message: message) }
            if number > 0, !TreeEntry.isOrdered(entries[number - 1], before: entry) {
                return problem(
                    entries[number - 1].path == entry.path ? "the entry comes twice" : "the entry is out of order")
            }
            if entry.root == .carried {
                guard isOverlay, entry.kind == .file, entry.path.bytes.elementsEqual(entry.digest.hex.utf8) else {
                    return problem("the entry is no content that an overlay carries")
                }
                continue
            }
            if let message = placeProblem(of: entry, layout, groups: tops) { return problem(message) }
            guard let parent = parent(of: entry) else { continue }
            if let lastParent, lastParent.root == parent.root, lastParent.path == parent.path { continue }
            guard let found = entries.place(of: parent.path, in: parent.root), entries[found].kind == .directory else {
                return problem("the entry is in no directory")
            }
            lastParent = parent
        }
        return frameProblem(in: entries, layout)
    }

    /// What is wrong with where an entry is, whatever the others are.
    ///
    /// - Parameter tops: for each group, what the paths of its entries begin with.
    private static func placeProblem(of entry: TreeEntry, _ layout: ContainerLayout, groups tops: [[UInt8]]) -> String? {
        if entry.path.isRoot, entry.root != .wrapper { return "the entry has no name" }
        if layout == .directory, entry.root == .wrapper ? !entry.path.isRoot : entry.root != .tree {
            return "the entry is of a bundle, and this is a directory"
        }
        // The entry's path below the top of its root.
        var below = entry.path.bytes[...]
        if let group = entry.root.groupNumber {
            guard group < tops.count else { return "the entry is of a group that isn't there" }
            guard below.starts(with: tops[group]), below.count > tops[group].count else {
                return "the entry is of a group and not in its directory"
            }
            below = below.dropFirst(tops[group].count)
        } else if entry.root == .wrapper {
            if isTaken(entry.path) { return "the wrapper's entry is where the tree's are" }
        } else if layout == .container, isNamed(below, ContainerNames.appGroups) {
            return "the tree's entry is where the groups' are"
        }
        if isNamed(below, ContainerNames.transaction) { return "the name is kept for unfinished transactions" }
        let isIdentity =
            layout == .container && entry.root != .wrapper && entry.kind.hasContent
            && isNamed(below, ContainerNames.identity)
        return isIdentity == (entry.kind == .identity) ? nil : "the identity is out of place"
    }

    /// Compares lengths first: nearly no entry has any of the names.
    private static func isNamed(_ path: ArraySlice<UInt8>, _ name: [UInt8]) -> Bool {
        path.count == name.count && path.elementsEqual(name)
    }

    /// The directories around the tree must be there, and be directories: what is in them is written through them.
    private static func frameProblem(in entries: [TreeEntry], _ layout: ContainerLayout) -> Problem? {
        var frame = [RelativePath.root]
        if layout == .container { frame.append(appData) }
        for path in frame {
            guard let found = entries.place(of: path, in: .wrapper), entries[found].kind == .directory else {
                return Problem(path: path, message: "the directory around the tree is missing, or is none")
            }
        }
        return nil
    }

    private static let appData = RelativePath(unchecked: ContainerNames.appData)

    /// The directory that must hold an entry; nil where none need be.
    private static func parent(of entry: TreeEntry) -> (root: TreeRoot, path: RelativePath)? {
        guard let parent = entry.path.parent else { return nil }
        if entry.root == .tree { return parent.isRoot ? nil : (.tree, parent) }
        if entry.root == .wrapper { return (.wrapper, parent) }
        // A group's own directory, AppGroups/ID, is the wrapper's.
        return (parent.components.count <= 2 ? .wrapper : entry.root, parent)
    }

    /// Whether a wrapper's path lies where `AppData`'s or a group's content does.
    private static func isTaken(_ path: RelativePath) -> Bool {
        let components = path.components
        guard let first = components.first else { return false }
        if first.elementsEqual(ContainerNames.appData) { return components.count > 1 }
        return first.elementsEqual(ContainerNames.appGroups) && components.count > 2
    }
}
