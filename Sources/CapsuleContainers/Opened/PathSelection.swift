package import CapsuleCore
import CapsulePropertyList

/// The parts of a container that the user named, and the entries that belong to them.
package struct PathSelection {
    /// For each entry, true if it is selected; nil if all are.
    private let isIncluded: [Bool]?
    /// A note on files that the user did not name but that belong to a database; nil if there are none.
    package let note: String?
    package let unmatched: [UnmatchedPath]

    /// - Parameters:
    ///   - isCompared: true for one side of a comparison. Then only what the user named is included. A directory around it is
    ///     not, because the other side may have the directory without any of the paths. A path that names nothing is in
    ///     ``unmatched``.
    package init(_ paths: [[UInt8]], in container: OpenedContainer, isCompared: Bool = false) throws(CapsuleError) {
        let places = try NamedPaths(paths, in: container, isCompared: isCompared)
        unmatched = places.unmatched
        if paths.isEmpty || places.isWhole {
            isIncluded = nil
            note = nil
            return
        }
        // The directories around an entry are included, in its own root and in the wrapper, so that it has a place.
        var included = container.entries.map { places.covers($0) || (!isCompared && places.isAround($0)) }
        let companions = try Self.companions(of: included, in: container)
        note = Self.note(on: companions, in: container)
        for number in companions { included[number] = true }
        isIncluded = included
    }

    package func select(from container: OpenedContainer) -> OpenedContainer {
        container.selecting(container.entries.indices.filter { includes($0) })
    }

    package func includes(_ number: Int) -> Bool { isIncluded?[number] ?? true }

    /// Parses a path as users write it: `./` before it, `//` in it and `/` after it are allowed; `.` is the tree's own directory.
    static func parse(_ path: [UInt8]) throws(CapsuleError) -> RelativePath {
        let slash = UInt8(ascii: "/")
        let components = path.split(separator: slash).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
        if components.isEmpty, path.first != slash, !path.isEmpty { return .root }
        do throws(PathError) {
            let joined = Array(components.joined(separator: [slash]))
            return try RelativePath(validating: path.first == slash ? [slash] + joined : joined)
        } catch {
            throw CapsuleError(
                .usage, "is not a path in a container: \(error.message)", path: HostPath(path),
                hint: "write it as 'capsule ls' does: no leading '/', no '..'")
        }
    }
}

/// A database is always selected as a unit. Without its log, it lacks the last changes and may be unreadable.
extension PathSelection {
    /// Returns the entries that belong to included databases but are not included themselves: logs, shared memory, external
    /// blobs.
    package static func companions(of included: [Bool], in container: OpenedContainer) throws(CapsuleError) -> [Int] {
        var known: [Int: Bool] = [:]
        func isDatabase(_ number: Int) -> Bool {
            if let known = known[number] { return known }
            let found = container.isDatabase(number)
            known[number] = found
            return found
        }
        var stems: [EntryPath: Bool] = [:]
        func hasDatabase(withStem place: EntryPath) -> Bool {
            if let known = stems[place] { return known }
            let found = numbers(withStem: place, in: container.entries).contains { included[$0] && isDatabase($0) }
            stems[place] = found
            return found
        }
        var companions: [Int] = []
        for (number, entry) in container.entries.enumerated() where !included[number] && entry.root != .wrapper {
            let isCompanion = DatabaseUnit.databases(ofMember: entry.path).contains { candidate in
                if candidate.isStem { return hasDatabase(withStem: EntryPath(root: entry.root, path: candidate.path)) }
                return container.entries.index(of: candidate.path, in: entry.root).map { included[$0] && isDatabase($0) } ?? false
            }
            if isCompanion { companions.append(number) }
        }
        return companions
    }

    private static func numbers(withStem place: EntryPath, in entries: [TreeEntry]) -> [Int] {
        var numbers: [Int] = []
        var number = entries.firstIndex(notBefore: place.path, in: place.root)
        while number < entries.count, entries[number].root == place.root,
            entries[number].path.bytes.starts(with: place.path.bytes)
        {
            let rest = entries[number].path.bytes.dropFirst(place.path.bytes.count)
            let isNamed = rest.isEmpty || (rest.first == UInt8(ascii: ".") && !rest.dropFirst().contains(UInt8(ascii: ".")))
            if isNamed, !rest.contains(UInt8(ascii: "/")), entries[number].kind == .file { numbers.append(number) }
            number += 1
        }
        return numbers
    }

    static func note(on companions: [Int], in container: OpenedContainer) -> String? {
        let files = companions.filter { container.entries[$0].kind != .directory }
        guard let first = files.first else { return nil }
        let path = container.entries[first].path
        return files.count == 1
            ? "a database includes its log and external blobs: added \(path)"
            : "a database includes its log and external blobs: added \(files.count) files, first \(path)"
    }
}

extension OpenedContainer {
    /// Returns the container without the entries that match patterns, everything below them, and the other files of databases among
    /// them.
    /// - Returns: also the paths of what each pattern leaves out.
    package func excluding(
        _ patterns: [Glob]
    ) throws(CapsuleError) -> (container: OpenedContainer, paths: [Set<RelativePath>]) {
        var excluded: Set<Int> = []
        var paths: [Set<RelativePath>] = []
        for pattern in patterns {
            let isMatch = entries.map { $0.isListed && $0.path.isAtOrBelow { pattern.matches($0) } }
            let numbers = try entries.indices.filter { isMatch[$0] } + PathSelection.companions(of: isMatch, in: self)
            excluded.formUnion(numbers)
            paths.append(Set(numbers.map { entries[$0].path }))
        }
        return (selecting(entries.indices.filter { !excluded.contains($0) }), paths)
    }
}

/// The places in a container that paths and patterns on the command line name.
package struct NamedPaths {
    private var roots: [RelativePath: Set<TreeRoot>] = [:]
    private var around: [RelativePath: Set<TreeRoot>] = [:]
    private(set) var isWhole = false
    private(set) var unmatched: [UnmatchedPath] = []

    /// - Parameter isCompared: true for one side of a comparison. Then a path that names nothing is in ``unmatched``, and the
    ///   files around the container are ignored, because they are never compared.
    package init(_ paths: [[UInt8]], in container: OpenedContainer, isCompared: Bool = false) throws(CapsuleError) {
        for path in paths {
            let found = try Self.find(path, in: container)
            let places = isCompared ? found.filter { !$0.roots.isSubset(of: [.wrapper, .carried]) } : found
            if places.isEmpty {
                let missing = found.isEmpty ? Self.missing(path, in: container) : Self.notCompared(path)
                guard isCompared else { throw missing }
                unmatched.append(
                    UnmatchedPath(
                        error: missing, suggestion: found.isEmpty ? Self.suggestion(for: path, in: container) : nil,
                        isExplained: !found.isEmpty))
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

    package func covers(_ entry: TreeEntry) -> Bool {
        if isWhole { return entry.root != .wrapper && entry.root != .carried }
        var directory: RelativePath? = entry.path
        while let place = directory {
            if roots[place]?.contains(entry.root) ?? false { return true }
            if place.isRoot { return false }
            directory = place.parent
        }
        return false
    }

    /// Returns true if a directory contains one of the places, in its own root or in the wrapper around that.
    func isAround(_ entry: TreeEntry) -> Bool {
        guard entry.kind == .directory else { return false }
        if let found = around[entry.path], found.contains(entry.root) || found.contains(where: { $0 != .tree }) { return true }
        guard entry.root == .wrapper, !roots.isEmpty else { return false }
        let hasTree = around[.root]?.contains(.tree) ?? false
        return entry.path.isRoot || hasTree && entry.path.bytes == ContainerShape.appData
    }

    /// Returns the places that a path or a pattern names. The tree takes precedence over the wrapper; `AppGroups/ID` names both the
    /// group's entries and the wrapper's.
    package static func find(
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
        return roots.isEmpty ? try matching(path, in: container) : [(relative, roots)]
    }

    /// Returns the entry that a path itself names; nil for a pattern, for the whole tree, and for what has entries in several roots.
    package static func entry(_ path: [UInt8], in container: OpenedContainer) throws(CapsuleError) -> TreeEntry? {
        let relative = try PathSelection.parse(path)
        if relative.isRoot { return nil }
        let found = container.entries.filter { $0.path == relative && $0.root != .carried }
        return found.first { $0.root == .tree } ?? (found.count == 1 ? found.first : nil)
    }

    /// Returns the entries that match a path as a pattern. A file whose name is the pattern itself takes precedence, so it is not
    /// considered here.
    private static func matching(
        _ path: [UInt8], in container: OpenedContainer
    ) throws(CapsuleError) -> [(path: RelativePath, roots: Set<TreeRoot>)] {
        guard isPattern(path) else { return [] }
        let glob = try glob(path)
        return container.entries.filter { $0.isListed && glob.matches($0.path) }.map { ($0.path, [$0.root]) }
    }

    private static func glob(_ path: [UInt8]) throws(CapsuleError) -> Glob {
        let top = Array("./".utf8)
        return try Glob(argument: (path.starts(with: top) ? top : []) + PathSelection.parse(path).bytes)
    }

    package static func isPattern(_ path: [UInt8]) -> Bool { path.contains { Glob.special.contains($0) } }

    static func missing(_ path: [UInt8], in container: OpenedContainer) -> CapsuleError {
        let command = ["capsule ls", container.argument.map { HostPath($0).shellWord }].compactMap { $0 }.joined(separator: " ")
        let list = "'\(command)' lists its paths" + (isPattern(path) ? "; put quotes around a pattern" : "")
        return CapsuleError(
            .notFound, isPattern(path) ? "matches nothing in the container" : "is not in the container", path: HostPath(path),
            hint: suggestion(for: path, in: container) ?? list)
    }

    /// Returns the hint that names the path which was meant; nil if none is near, or several are.
    package static func suggestion(for path: [UInt8], in container: OpenedContainer) -> String? {
        if let inside = ContainerNames.insideAppData(path), let places = try? find(Array(inside.utf8), in: container),
            !places.isEmpty
        {
            return "did you mean '\(inside)'?"
        }
        if isPattern(path) {
            return matchInAnotherCase(path, in: container).map { "case matters: in another case it matches '\($0.path)'" }
        }
        let listed = container.entries.filter(\.isListed)
        let folded = Self.folded(path[...])
        var meant = listed.filter { Self.folded($0.path.bytes[...]) == folded }
        if meant.isEmpty, !path.contains(UInt8(ascii: "/")) { meant = listed.filter { Self.folded($0.path.name) == folded } }
        if meant.count > 1 { return nil }
        return (meant.first?.path ?? nearest(path, among: listed)).map { "did you mean '\($0)'?" }
    }

    /// Returns the path of which each name is the nearest to the one that was typed; nil if one has none.
    private static func nearest(_ path: [UInt8], among entries: [TreeEntry]) -> RelativePath? {
        var found = RelativePath.root
        for typed in path.split(separator: RelativePath.slash) {
            let names = entries.filter { $0.path.parent == found }.compactMap { String(validating: $0.path.name, as: UTF8.self) }
            let typed = String(decoding: typed, as: UTF8.self)
            guard let name = names.contains(typed) ? typed : Suggestions(for: typed, among: names).words.first,
                let next = try? found.appending(Array(name.utf8))
            else { return nil }
            found = next
        }
        return found
    }

    private static func notCompared(_ path: [UInt8]) -> CapsuleError {
        CapsuleError(
            .notFound, "is not part of the data, so it is not compared", path: HostPath(path),
            hint: "'capsule diff A:\(path.shellWord) B:\(path.shellWord)' compares it")
    }

    private static func matchInAnotherCase(_ pattern: [UInt8], in container: OpenedContainer) -> TreeEntry? {
        guard let glob = try? glob(Array(folded(pattern[...]).utf8)) else { return nil }
        return container.entries.first { $0.isListed && glob.matches(Array(folded($0.path.bytes[...]).utf8)) }
    }

    private static func folded(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

/// A path on the command line that names nothing on one side of a comparison.
package struct UnmatchedPath {
    /// The error to throw if the other side has nothing, either.
    package let error: CapsuleError
    package let suggestion: String?
    /// True if the error says why, and not only that there is nothing.
    package let isExplained: Bool

    package init(error: CapsuleError, suggestion: String? = nil, isExplained: Bool = true) {
        (self.error, self.suggestion, self.isExplained) = (error, suggestion, isExplained)
    }
}

extension TreeEntry {
    /// True if the entry belongs to the tree or to a group. Entries around these, and those that an overlay carries beside them,
    /// are not listed.
    package var isListed: Bool { root != .wrapper && root != .carried }
}
