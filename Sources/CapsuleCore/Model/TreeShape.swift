/// Checks that entries form a tree: each is in a directory that exists, none occurs twice, and none is in a place reserved for another.
///
/// The entries of an index are checked one by one, in its order, so they need not be in memory together. Parts that are checked
/// separately, such as the blocks of an index, are joined in the order of the index.
package struct TreeShape: Sendable {
    package struct Problem: Error, Hashable, Sendable {
        package let path: RelativePath
        package let message: String
    }

    private let layout: ContainerLayout
    /// The prefix that the paths of each group's entries must have.
    private let tops: [[UInt8]]
    private let isOverlay: Bool
    private var directories: Set<EntryPath> = []
    /// The directories that entries need and that are not among the entries before them, each with the number and path of the
    /// first such entry.
    private var missing: [EntryPath: (number: Int, path: RelativePath)] = [:]
    private var problem: (number: Int, problem: Problem)?
    private var first: EntryPath?
    private var last: EntryPath?
    private var lastParent: EntryPath?
    private var count = 0

    package init(layout: ContainerLayout, groups: [[UInt8]], isOverlay: Bool = false) {
        self.layout = layout
        self.isOverlay = isOverlay
        tops = groups.map { ContainerNames.appGroups + [RelativePath.slash] + $0 + [RelativePath.slash] }
    }

    package static func problem(
        in entries: some Sequence<TreeEntry>, layout: ContainerLayout, groups: [[UInt8]], isOverlay: Bool = false
    ) -> Problem? {
        var shape = TreeShape(layout: layout, groups: groups, isOverlay: isOverlay)
        for entry in entries { shape.add(entry) }
        return shape.firstProblem
    }

    package mutating func add(_ entry: TreeEntry) {
        let isNamed = entry.root != .carried || entry.path.bytes.elementsEqual(entry.digest.hex.utf8)
        add(entry.path, entry.root, entry.kind, isNamedByDigest: isNamed)
    }

    /// Checks the next entry by those of its parts that determine the shape of the tree.
    ///
    /// - Parameters:
    ///   - isNamedByDigest: true unless the entry is a carried content whose name is not its digest.
    package mutating func add(_ path: RelativePath, _ root: TreeRoot, _ kind: EntryKind, isNamedByDigest: Bool = true) {
        defer { count += 1 }
        if problem != nil { return }
        let place = EntryPath(root: root, path: path)
        if let message = orderProblem(of: place) { return find(message, path) }
        first = first ?? place
        last = place
        if root == .carried {
            if !isOverlay || kind != .file || !isNamedByDigest { find("the entry is not file content of an overlay", path) }
            return
        }
        if let message = placeProblem(of: path, root, kind) { return find(message, path) }
        if kind == .directory { directories.insert(place) }
        guard let parent = parent(of: path, root), parent != lastParent else { return }
        lastParent = parent
        if !directories.contains(parent), missing[parent] == nil { missing[parent] = (count, path) }
    }

    package mutating func add(_ next: TreeShape) {
        defer { count += next.count }
        if problem != nil { return }
        if let place = next.first, let message = orderProblem(of: place) { return find(message, place.path) }
        for (parent, entry) in next.missing where !directories.contains(parent) && missing[parent] == nil {
            missing[parent] = (count + entry.number, entry.path)
        }
        problem = next.problem.map { (count + $0.number, $0.problem) }
        directories.formUnion(next.directories)
        first = first ?? next.first
        last = next.last ?? last
    }

    /// The problem of the first entry that has one, or nil if the entries form a tree. It is final once all entries were added.
    package var firstProblem: Problem? {
        let orphan = missing.values.min { $0.number < $1.number }
        if let orphan, orphan.number < problem?.number ?? .max {
            return Problem(path: orphan.path, message: "the entry has no parent directory")
        }
        return problem?.problem ?? frameProblem
    }

    private mutating func find(_ message: String, _ path: RelativePath) {
        problem = (count, Problem(path: path, message: message))
    }

    private func orderProblem(of place: EntryPath) -> String? {
        guard let last else { return nil }
        if last.root == place.root ? last.path < place.path : last.root < place.root { return nil }
        return last.path == place.path ? "the entry is listed twice" : "the entry is out of order"
    }

    private func placeProblem(of path: RelativePath, _ root: TreeRoot, _ kind: EntryKind) -> String? {
        if path.isRoot, root != .wrapper { return "the entry has no name" }
        if layout == .directory, root == .wrapper ? !path.isRoot : root != .tree {
            return "the entry belongs in a bundle, but this is a plain directory"
        }
        // The part of the path below the top of its root.
        var below = path.bytes[...]
        if let group = root.groupNumber {
            guard group < tops.count else { return "the entry belongs to an app group that does not exist" }
            guard below.starts(with: tops[group]), below.count > tops[group].count else {
                return "the entry belongs to an app group but is outside the group's directory"
            }
            below = below.dropFirst(tops[group].count)
        } else if root == .wrapper {
            if Self.isTaken(path) { return "an entry of the bundle is inside the container's tree" }
        } else if layout == .container, Self.isNamed(below, ContainerNames.appGroups) {
            return "an entry of the container's tree is inside the app groups"
        }
        if Self.isNamed(below, ContainerNames.transaction) { return "the name is reserved for unfinished transactions" }
        let isIdentity =
            layout == .container && root != .wrapper && kind.hasContent && Self.isNamed(below, ContainerNames.identity)
        return isIdentity == (kind == .identity) ? nil : "the container's identity is in the wrong place"
    }

    /// Returns true if `path` is `name`. Compares lengths first, because nearly no entry has one of these names.
    private static func isNamed(_ path: ArraySlice<UInt8>, _ name: [UInt8]) -> Bool {
        path.count == name.count && path.elementsEqual(name)
    }

    /// The problem with the directories around the tree. They must exist and be directories, because content is written through them.
    private var frameProblem: Problem? {
        let frame = layout == .container ? [RelativePath.root, Self.appData] : [.root]
        return frame.first { !directories.contains(EntryPath(root: .wrapper, path: $0)) }.map {
            Problem(path: $0, message: "the container's directory is missing or not a directory")
        }
    }

    private static let appData = RelativePath(unchecked: ContainerNames.appData)

    private func parent(of path: RelativePath, _ root: TreeRoot) -> EntryPath? {
        guard let parent = path.parent else { return nil }
        if root == .tree { return parent.isRoot ? nil : EntryPath(root: .tree, path: parent) }
        if root == .wrapper { return EntryPath(root: .wrapper, path: parent) }
        // A group's own directory, AppGroups/ID, belongs to the wrapper.
        return EntryPath(root: parent.components.count <= 2 ? .wrapper : root, path: parent)
    }

    /// Returns true if a path of the wrapper is where the content of `AppData` or of a group belongs.
    private static func isTaken(_ path: RelativePath) -> Bool {
        let components = path.components
        guard let first = components.first else { return false }
        if first.elementsEqual(ContainerNames.appData) { return components.count > 1 }
        return first.elementsEqual(ContainerNames.appGroups) && components.count > 2
    }
}
