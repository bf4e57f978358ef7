import CapsuleCore

/// A database leaves a container as a unit, whoever asks for a part: without its log it lacks what was written last, and it may
/// be unreadable.
extension PathSelection {
    /// The entries that belong to databases among some entries and are not among them: logs, shared memory, external blobs.
    ///
    /// - Parameter included: for each of the container's entries whether it is one of them.
    static func companions(of included: [Bool], in container: OpenedContainer) throws(CapsuleError) -> [Int] {
        var known: [Int: Bool] = [:]
        func isDatabase(_ number: Int) -> Bool {
            if let known = known[number] { return known }
            let found = container.content.isDatabase(container.entries[number], number: number)
            known[number] = found
            return found
        }
        var stems: [Place: Bool] = [:]
        /// Whether a database is included that has a name with this stem.
        func hasDatabase(withStem place: Place) -> Bool {
            if let known = stems[place] { return known }
            let found = numbers(withStem: place, in: container.entries).contains { included[$0] && isDatabase($0) }
            stems[place] = found
            return found
        }
        var companions: [Int] = []
        for (number, entry) in container.entries.enumerated() where !included[number] && entry.root != .wrapper {
            let isCompanion = DatabaseUnit.databases(ofMember: entry.path).contains { candidate in
                if candidate.isStem { return hasDatabase(withStem: Place(root: entry.root, path: candidate.path)) }
                return container.entries.place(of: candidate.path, in: entry.root).map { included[$0] && isDatabase($0) } ?? false
            }
            if isCompanion { companions.append(number) }
        }
        return companions
    }

    private struct Place: Hashable {
        let root: TreeRoot
        let path: RelativePath
    }

    /// The files named as a path says, or that with an extension.
    private static func numbers(withStem place: Place, in entries: [TreeEntry]) -> [Int] {
        var numbers: [Int] = []
        var number = entries.firstPlace(notBefore: place.path, in: place.root)
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

    /// What to say of entries that nobody named; nil for none.
    static func note(on companions: [Int], in container: OpenedContainer) -> String? {
        let files = companions.filter { container.entries[$0].kind != .directory }
        guard let first = files.first else { return nil }
        let path = container.entries[first].path
        return files.count == 1
            ? "a database includes its log and external blobs: added \(path)"
            : "a database includes its log and external blobs: added \(files.count) files, first \(path)"
    }
}
