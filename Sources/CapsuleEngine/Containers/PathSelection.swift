import CapsuleCore

/// The parts of a container that the user named, and what is one with them.
struct PathSelection {
    /// For each entry whether it is one of them; nil for all.
    private let isIncluded: [Bool]?
    /// What to say of files that the user did not name and that come with a database; nil for none.
    let note: String?

    /// - Parameter paths: tree paths, or paths of the wrapper; as users write them.
    /// - Throws: a path that is nowhere.
    init(_ paths: [[UInt8]], in container: OpenedContainer) throws(CapsuleError) {
        if paths.isEmpty {
            isIncluded = nil
            note = nil
            return
        }
        var included = [Bool](repeating: false, count: container.entries.count)
        for path in paths {
            let (roots, relative) = try Self.find(path, in: container)
            if relative.isRoot {
                isIncluded = nil
                note = nil
                return
            }
            for (number, entry) in container.entries.enumerated() {
                if roots.contains(entry.root), entry.path.isAtOrBelow(relative) {
                    included[number] = true
                } else if entry.kind == .directory {
                    // Its directories come with it, so that it has a place: its own root's, and the wrapper's around those.
                    let isAround = relative.isAtOrBelow(entry.path) && (roots.contains(entry.root) || !roots.contains(.tree))
                    let isOfBundle = entry.path.isRoot || (roots.contains(.tree) && entry.path.bytes == ContainerShape.appData)
                    if isAround || (entry.root == .wrapper && isOfBundle) { included[number] = true }
                }
            }
        }
        let companions = try Self.companions(of: included, in: container)
        note = Self.note(on: companions, in: container)
        for number in companions { included[number] = true }
        isIncluded = included
    }

    /// The container with only these parts.
    func select(from container: OpenedContainer) -> OpenedContainer {
        container.selecting((0..<UInt32(container.entries.count)).filter { includes(Int($0)) })
    }

    func includes(_ number: Int) -> Bool { isIncluded?[number] ?? true }

    /// What a path of the user's speaks of: the tree before the wrapper; for `AppGroups/ID` both groups and wrapper.
    static func find(_ path: [UInt8], in container: OpenedContainer) throws(CapsuleError) -> (Set<TreeRoot>, RelativePath) {
        let relative = try parse(path)
        if relative.isRoot { return (Set(container.entries.map(\.root)).subtracting([.wrapper, .carried]), relative) }
        var roots: Set<TreeRoot> = []
        for entry in container.entries
        where entry.path == relative || (entry.root.groupNumber != nil && entry.path.isAtOrBelow(relative)) {
            if entry.root == .tree { return ([.tree], relative) }
            roots.insert(entry.root)
        }
        guard !roots.isEmpty else { throw missing(path) }
        return (roots, relative)
    }

    static func missing(_ path: [UInt8]) -> CapsuleError {
        CapsuleError(.notFound, "is not in the container", path: HostPath(path), hint: "'capsule ls' lists what is in it")
    }

    /// A path as users write it: with `./` before, `//` within and `/` behind; `.` is the tree's own directory.
    static func parse(_ path: [UInt8]) throws(CapsuleError) -> RelativePath {
        let slash = UInt8(ascii: "/")
        let components = path.split(separator: slash).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
        if components.isEmpty, path.first != slash, !path.isEmpty { return .root }
        do throws(PathError) {
            let joined = Array(components.joined(separator: [slash]))
            return try RelativePath(validating: path.first == slash ? [slash] + joined : joined)
        } catch {
            throw CapsuleError(
                .usage, "is no path in a container: \(error.message)", path: HostPath(path),
                hint: "write it as 'capsule ls' does, without '/' before it and without '..'")
        }
    }
}
