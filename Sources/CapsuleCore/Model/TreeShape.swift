/// Whether entries make up a tree: each in a directory that is there, none twice, none in another's place.
public enum TreeShape {
    /// What is wrong with an entry.
    public struct Problem: Error, Hashable, Sendable {
        public let path: RelativePath
        /// Lower case, no period.
        public let message: String
    }

    /// - Parameters:
    ///   - entries: in the order of the index.
    ///   - groups: how many app groups there are.
    /// - Returns: the first problem, or nil.
    public static func problem(in entries: [TreeEntry], layout: ContainerLayout, groups: Int) -> Problem? {
        var lastParent: (root: TreeRoot, path: RelativePath)?
        for (number, entry) in entries.enumerated() {
            func problem(_ message: String) -> Problem { Problem(path: entry.path, message: message) }
            if number > 0, !TreeEntry.isOrdered(entries[number - 1], before: entry) {
                return problem(
                    entries[number - 1].path == entry.path ? "the entry comes twice" : "the entry is out of order")
            }
            if entry.path.isRoot, entry.root != .wrapper { return problem("the entry has no name") }
            if let group = entry.root.groupNumber, group >= groups { return problem("the entry is of a group that isn't there") }
            if entry.kind == .identity, entry.root == .wrapper || layout == .directory {
                return problem("the identity is out of place")
            }
            if layout == .directory, entry.root == .wrapper ? !entry.path.isRoot : entry.root != .tree {
                return problem("the entry is of a bundle, and this is a directory")
            }
            if entry.root == .wrapper, isTaken(entry.path) { return problem("the wrapper's entry is where the tree's are") }
            guard let parent = parent(of: entry) else { continue }
            if let lastParent, lastParent.root == parent.root, lastParent.path == parent.path { continue }
            guard let found = entries.place(of: parent.path, in: parent.root), entries[found].kind == .directory else {
                return problem("the entry is in no directory")
            }
            lastParent = parent
        }
        return frameProblem(in: entries, layout)
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

    private static let appData = RelativePath(unchecked: Array("AppData".utf8))

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
        if first.elementsEqual("AppData".utf8) { return components.count > 1 }
        return first.elementsEqual("AppGroups".utf8) && components.count > 2
    }
}
