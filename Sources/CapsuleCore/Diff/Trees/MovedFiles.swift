/// Pairs files that are gone with new ones of the same content: each once, the closest paths first.
struct MovedFiles {
    private struct Content: Hashable {
        let size: UInt64
        let digest: ContentDigest
    }

    private struct File {
        let path: RelativePath
        let place: Int
    }

    private struct Group {
        var old: [File] = []
        var new: [File] = []
    }

    /// Pairs of one content whose paths are compared; beyond that they pair as they come.
    private static let comparisonLimit = 1 << 16

    private var groups: [Content: Group] = [:]

    mutating func addOld(_ entry: TreeEntry, at place: Int) {
        if let content = Self.content(of: entry) {
            groups[content, default: Group()].old.append(File(path: entry.path, place: place))
        }
    }

    mutating func addNew(_ entry: TreeEntry, at place: Int) {
        // What has no old file can't have moved.
        if let content = Self.content(of: entry) { groups[content]?.new.append(File(path: entry.path, place: place)) }
    }

    /// Empty files have nothing in common but that; what belongs to a database goes where that goes, or is another's now.
    private static func content(of entry: TreeEntry) -> Content? {
        entry.kind == .file && entry.size > 0 && DatabaseUnit.databases(ofMember: entry.path).isEmpty
            ? Content(size: entry.size, digest: entry.digest) : nil
    }

    /// The pairs, by their places in the older tree.
    func pairs() -> [(old: Int, new: Int)] {
        groups.values.flatMap { Self.pairs($0) }.sorted { $0.old < $1.old }
    }

    private static func pairs(_ group: Group) -> [(old: Int, new: Int)] {
        let (old, new) = (group.old, group.new)
        if old.isEmpty || new.isEmpty { return [] }
        guard old.count <= comparisonLimit / new.count else {
            return zip(old, new).map { ($0.place, $1.place) }
        }
        var candidates: [(closeness: Int, old: Int, new: Int)] = []
        for (oldNumber, source) in old.enumerated() {
            for (newNumber, target) in new.enumerated() {
                candidates.append((closeness(source.path, target.path), oldNumber, newNumber))
            }
        }
        // Files come by their paths, so that ties are settled alike whatever the trees came from.
        candidates.sort { ($1.closeness, $0.old, $0.new) < ($0.closeness, $1.old, $1.new) }
        var (isTakenOld, isTakenNew) = (Array(repeating: false, count: old.count), Array(repeating: false, count: new.count))
        var pairs: [(old: Int, new: Int)] = []
        for candidate in candidates where !isTakenOld[candidate.old] && !isTakenNew[candidate.new] {
            isTakenOld[candidate.old] = true
            isTakenNew[candidate.new] = true
            pairs.append((old[candidate.old].place, new[candidate.new].place))
        }
        return pairs
    }

    /// How many components two paths begin with in common, and end with; the same name counts most.
    private static func closeness(_ old: RelativePath, _ new: RelativePath) -> Int {
        let (old, new) = (old.components, new.components)
        let common = zip(old.dropLast(), new.dropLast()).prefix { $0 == $1 }.count
        let trailing = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
        return 2 * common + 3 * trailing - abs(old.count - new.count)
    }
}
