/// Finds the databases that files of three trees belong to, and all that belongs to them.
struct TreeMergeUnits {
    typealias Side = TreeMerge.Side
    typealias Place = TreeMerge.Place

    private let sides: TreeMergeSides
    private let isDatabase: (Side, Int) -> Bool
    private var known: [Key: Bool] = [:]
    private var searched: [Search: Place?] = [:]

    private struct Key: Hashable {
        let side: Side
        let number: Int
    }

    /// Asked for once: a directory of blobs may hold many.
    private struct Search: Hashable {
        let root: TreeRoot
        let candidate: DatabaseUnit.Candidate
    }

    init(_ sides: TreeMergeSides, _ isDatabase: @escaping (Side, Int) -> Bool) {
        self.sides = sides
        self.isDatabase = isDatabase
    }

    /// The database of a unit that a place is part of; nil for a file of its own, also for a database that nothing belongs to.
    mutating func database(of place: Place) -> Place? {
        for candidate in DatabaseUnit.databases(ofMember: place.path) {
            let key = Search(root: place.root, candidate: candidate)
            let found: Place?
            if let known = searched[key] { found = known } else { found = search(for: candidate, in: place.root) }
            searched[key] = .some(found)
            if let found { return found }
        }
        return hasMembers(place) && isDatabase(at: place) ? place : nil
    }

    /// What belongs to a database.
    func unit(of main: Place) -> TreeMerge.Unit {
        var unit = TreeMerge.Unit()
        for log in Self.logs(of: main) where Side.allCases.contains(where: { sides.number($0, at: log) != nil }) {
            unit.logs.append(log)
        }
        guard let support = DatabaseUnit.support(of: main.path) else { return unit }
        var blobs: Set<Place> = []
        for side in Side.allCases {
            let top = Place(root: main.root, path: support)
            guard sides.number(side, at: top) != nil else { continue }
            blobs.insert(top)
            let entries = sides[side].entries
            var number = entries.firstPlace(
                notBefore: RelativePath(unchecked: support.bytes + [RelativePath.slash]), in: main.root)
            while number < entries.count, entries[number].root == main.root, entries[number].path.isAtOrBelow(support) {
                blobs.insert(Place(root: main.root, path: entries[number].path))
                number += 1
            }
        }
        unit.blobs = blobs.sorted()
        return unit
    }

    private static func logs(of main: Place) -> [Place] {
        DatabaseUnit.companionSuffixes.compactMap { suffix in
            (try? RelativePath(validating: main.path.bytes + suffix)).map { Place(root: main.root, path: $0) }
        }
    }

    private func hasMembers(_ main: Place) -> Bool {
        guard Side.allCases.contains(where: { sides.entry($0, at: main)?.kind == .file }) else { return false }
        var others = Self.logs(of: main)
        if let support = DatabaseUnit.support(of: main.path) { others.append(Place(root: main.root, path: support)) }
        return others.contains { other in Side.allCases.contains { sides.number($0, at: other) != nil } }
    }

    private mutating func search(for candidate: DatabaseUnit.Candidate, in root: TreeRoot) -> Place? {
        for side in Side.allCases {
            let entries = sides[side].entries
            var number = entries.firstPlace(notBefore: candidate.path, in: root)
            while number < entries.count, entries[number].root == root,
                entries[number].path.bytes.starts(with: candidate.path.bytes)
            {
                let rest = entries[number].path.bytes.dropFirst(candidate.path.bytes.count)
                if rest.isEmpty || (candidate.isStem && Self.isExtension(rest)), check(side, number) {
                    return Place(root: root, path: entries[number].path)
                }
                if !candidate.isStem { break }
                number += 1
            }
        }
        return nil
    }

    private static func isExtension(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ".") && !bytes.dropFirst().contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
    }

    private mutating func isDatabase(at place: Place) -> Bool {
        for side in Side.allCases {
            if let number = sides.number(side, at: place), check(side, number) { return true }
        }
        return false
    }

    private mutating func check(_ side: Side, _ number: Int) -> Bool {
        let key = Key(side: side, number: number)
        if let known = known[key] { return known }
        let answer = sides[side].entries[number].kind == .file && isDatabase(side, number)
        known[key] = answer
        return answer
    }
}
