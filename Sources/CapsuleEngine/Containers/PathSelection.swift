import CapsuleCore

/// The parts of a container that the user named, and what is one with them.
struct PathSelection {
    /// For each entry whether it is one of them; nil for all.
    private let isIncluded: [Bool]?
    /// What to say of files that the user did not name and that come with a database; nil for none.
    let note: String?

    /// What names nothing; empty unless that is allowed.
    let unmatched: [UnmatchedPath]

    /// - Parameters:
    ///   - paths: tree paths, patterns over them, or paths of the wrapper; as users write them.
    ///   - isCompared: true for one side of a comparison. Then only what the user named is included: a directory around it is
    ///     not, since the other side may have it without any of the paths. A path that names nothing is in ``unmatched``.
    /// - Throws: a path that names nothing.
    init(_ paths: [[UInt8]], in container: OpenedContainer, isCompared: Bool = false) throws(CapsuleError) {
        let places = try NamedPlaces(paths, in: container, isCompared: isCompared)
        unmatched = places.unmatched
        if paths.isEmpty || places.isWhole {
            isIncluded = nil
            note = nil
            return
        }
        // Directories come with what is in them, so that it has a place: those of its own root, and of the wrapper around it.
        var included = container.entries.map { places.covers($0) || (!isCompared && places.isAround($0)) }
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
                .usage, "is not a path in a container: \(error.message)", path: HostPath(path),
                hint: "write it as 'capsule ls' does: no leading '/', no '..'")
        }
    }
}
