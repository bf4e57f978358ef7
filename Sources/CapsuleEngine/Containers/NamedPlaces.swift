import CapsuleCore
import CapsulePropertyList

/// The places in a container that paths and patterns on the command line name.
struct NamedPlaces {
    /// The roots in which each path is meant.
    private var roots: [RelativePath: Set<TreeRoot>] = [:]
    /// The directories around each, with its roots.
    private var around: [RelativePath: Set<TreeRoot>] = [:]
    /// Whether the whole tree is meant.
    private(set) var isWhole = false
    /// The paths that name nothing.
    private(set) var unmatched: [UnmatchedPath] = []

    /// - Parameter isCompared: true for one side of a comparison: a path that names nothing is in ``unmatched``, and the files
    ///   around the container are not looked for, since they are never compared.
    /// - Throws: for a path that names nothing, with a hint at what may have been meant.
    init(_ paths: [[UInt8]], in container: OpenedContainer, isCompared: Bool = false) throws(CapsuleError) {
        for path in paths {
            let found = try Self.find(path, in: container)
            let places = isCompared ? found.filter { !$0.roots.isSubset(of: [.wrapper, .carried]) } : found
            if places.isEmpty {
                let missing = found.isEmpty ? Self.missing(path, in: container) : Self.notCompared(path)
                guard isCompared else { throw missing }
                unmatched.append(UnmatchedPath(error: missing, isAround: !found.isEmpty))
            }
            for place in places { add(place.path, place.roots) }
        }
    }

    private mutating func add(_ path: RelativePath, _ found: Set<TreeRoot>) {
        if path.isRoot { isWhole = true }
        roots[path, default: []].formUnion(found)
        var directory: RelativePath? = path
        while let place = directory {
            around[place, default: []].formUnion(found)
            if place.isRoot { break }
            directory = place.parent
        }
    }

    /// Whether an entry is at or below one of the places.
    func covers(_ entry: TreeEntry) -> Bool {
        if isWhole { return entry.root != .wrapper && entry.root != .carried }
        var directory: RelativePath? = entry.path
        while let place = directory {
            if roots[place]?.contains(entry.root) ?? false { return true }
            if place.isRoot { return false }
            directory = place.parent
        }
        return false
    }

    /// Whether a directory is around one of the places, in its root or in the wrapper around that.
    func isAround(_ entry: TreeEntry) -> Bool {
        guard entry.kind == .directory else { return false }
        if let found = around[entry.path], found.contains(entry.root) || found.contains(where: { $0 != .tree }) { return true }
        guard entry.root == .wrapper, !roots.isEmpty else { return false }
        let hasTree = around[.root]?.contains(.tree) ?? false
        return entry.path.isRoot || hasTree && entry.path.bytes == ContainerShape.appData
    }

    // MARK: Finding

    /// What a path or a pattern names: the tree before the wrapper; for `AppGroups/ID` both groups and wrapper.
    static func find(
        _ path: [UInt8], in container: OpenedContainer
    ) throws(CapsuleError) -> [(path: RelativePath, roots: Set<TreeRoot>)] {
        let relative = try PathSelection.parse(path)
        if relative.isRoot { return [(relative, Set(container.entries.map(\.root)).subtracting([.wrapper, .carried]))] }
        var roots: Set<TreeRoot> = []
        for entry in container.entries
        where entry.path == relative || (entry.root.groupNumber != nil && entry.path.isAtOrBelow(relative)) {
            if entry.root == .tree { return [(relative, [.tree])] }
            roots.insert(entry.root)
        }
        return roots.isEmpty ? try matching(relative, in: container) : [(relative, roots)]
    }

    /// What fits a path as a pattern: a name of a file that has such signs in it comes first.
    private static func matching(
        _ path: RelativePath, in container: OpenedContainer
    ) throws(CapsuleError) -> [(path: RelativePath, roots: Set<TreeRoot>)] {
        guard isPattern(path.bytes) else { return [] }
        let glob: Glob
        do throws(GlobError) {
            glob = try Glob(path.bytes)
        } catch {
            throw CapsuleError(.usage, "is not a pattern: \(error.message)", path: HostPath(path.bytes))
        }
        return container.entries.filter { $0.isListed && glob.matches($0.path) }.map { ($0.path, [$0.root]) }
    }

    static func isPattern(_ path: [UInt8]) -> Bool { path.contains { Glob.special.contains($0) } }

    static let listHint = "'capsule ls' lists its paths"
    static let patternHint = "'capsule ls' lists its paths; put quotes around a pattern"

    /// What names nothing, with what may have been meant: the same path in another case or Unicode form, or a file of that name.
    static func missing(_ path: [UInt8], in container: OpenedContainer) -> CapsuleError {
        let shown = HostPath(path)
        let problem = isPattern(path) ? "matches nothing in the container" : "is not in the container"
        if let inside = ContainerNames.insideAppData(path), let places = try? find(Array(inside.utf8), in: container),
            !places.isEmpty
        {
            return CapsuleError(.notFound, problem, path: shown, hint: "did you mean '\(inside)'?")
        }
        if isPattern(path) {
            let meant = matchInAnotherCase(path, in: container).map { "case matters: in another case it matches '\($0.path)'" }
            return CapsuleError(
                .notFound, problem, path: shown,
                hint: meant ?? patternHint)
        }
        let listed = container.entries.filter(\.isListed)
        let folded = Self.folded(path[...])
        var meant = listed.filter { Self.folded($0.path.bytes[...]) == folded }
        if meant.isEmpty, !path.contains(UInt8(ascii: "/")) { meant = listed.filter { Self.folded($0.path.name) == folded } }
        guard let first = meant.first, meant.count == 1 else {
            return CapsuleError(.notFound, problem, path: shown, hint: listHint)
        }
        return CapsuleError(.notFound, problem, path: shown, hint: "did you mean '\(first.path)'?")
    }

    /// The error for a file around the container, such as `AppDataInfo.plist`.
    private static func notCompared(_ path: [UInt8]) -> CapsuleError {
        CapsuleError(
            .notFound, "is not part of the data, so it is not compared", path: HostPath(path),
            hint: "'capsule diff A:\(HostPath(path)) B:\(HostPath(path))' compares it")
    }

    /// The first entry that a pattern matches if case does not matter.
    private static func matchInAnotherCase(_ pattern: [UInt8], in container: OpenedContainer) -> TreeEntry? {
        guard let glob = try? Glob(Array(folded(pattern[...]).utf8)) else { return nil }
        return container.entries.first { $0.isListed && glob.matches(Array(folded($0.path.bytes[...]).utf8)) }
    }

    private static func folded(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

/// A path on the command line that names nothing on one side of a comparison.
struct UnmatchedPath {
    /// The error if the other side has nothing either.
    let error: CapsuleError
    /// True for a file around the container, such as `AppDataInfo.plist`, which is there but never compared.
    let isAround: Bool

    /// What the user may have meant; nil if that is unknown.
    var suggestion: String? {
        error.hint.flatMap { [NamedPlaces.listHint, NamedPlaces.patternHint].contains($0) ? nil : $0 }
    }
}

extension TreeEntry {
    /// Whether it is of the tree or a group: what is around them, and what an overlay carries beside them, is not listed.
    var isListed: Bool { root != .wrapper && root != .carried }
}
