/// Groups the differences in the files of one unit: a database, its logs and its external blobs form one row.
package struct UnitGrouping {
    /// The differences at one place: an entry or a unit.
    package struct Group: Sendable {
        /// The difference of the entry, or of the unit's database. It is nil if the database is the same on both sides.
        package var item: TreeDiff.Item?
        /// The differences in the unit's other files. It is empty if the group is not a unit.
        package var members: [TreeDiff.Item] = []
        /// The indices of the database in both trees, if the group is a unit.
        package var database: (old: Int?, new: Int?)?
    }

    private let old: TreeSide
    private let new: TreeSide
    private let isDatabase: (_ isNew: Bool, _ index: Int) -> Bool
    private var known: [Key: Bool] = [:]
    private var searched: [Search: Int?] = [:]

    /// The key of a search whose result is cached, because a directory of blobs may have many files.
    private struct Search: Hashable {
        let isNew: Bool
        let root: TreeRoot
        let candidate: DatabaseUnit.Candidate
    }

    private struct Key: Hashable {
        let isNew: Bool
        let index: Int
    }

    package init(_ old: TreeSide, _ new: TreeSide, isDatabase: @escaping (_ isNew: Bool, _ index: Int) -> Bool) {
        self.old = old
        self.new = new
        self.isDatabase = isDatabase
    }

    package mutating func groups(_ items: [TreeDiff.Item]) -> [Group] {
        var groups: [Group] = []
        var ofOld: [Int: Int] = [:]
        var ofNew: [Int: Int] = [:]
        var waiting: [(item: TreeDiff.Item, old: Int?, new: Int?)] = []
        for item in items {
            let database = (
                old: item.old.flatMap { self.database(of: old.entries[$0], isNew: false) },
                new: item.new.flatMap { self.database(of: new.entries[$0], isNew: true) }
            )
            // A file that left one unit and did not enter another becomes an ordinary file.
            if let found = item.new == nil ? database.old : database.new {
                let isOld = item.new == nil
                waiting.append((item, isOld ? found : nil, isOld ? nil : found))
                continue
            }
            if let index = item.old { ofOld[index] = groups.count }
            if let index = item.new { ofNew[index] = groups.count }
            groups.append(Group(item: item))
        }
        for (item, oldIndex, newIndex) in waiting {
            let index = oldIndex.flatMap { ofOld[$0] } ?? newIndex.flatMap { ofNew[$0] }
            if let index {
                groups[index].members.append(item)
                continue
            }
            // The database itself is the same in both trees.
            let pair = counterparts(old: oldIndex, new: newIndex)
            if let old = pair.old { ofOld[old] = groups.count }
            if let new = pair.new { ofNew[new] = groups.count }
            groups.append(Group(members: [item], database: pair))
        }
        for index in groups.indices where groups[index].database == nil {
            guard !groups[index].members.isEmpty, let item = groups[index].item else { continue }
            groups[index].database = (item.old, item.new)
        }
        return groups.sorted { path(of: $0) < path(of: $1) }
    }

    private func path(of group: Group) -> RelativePath {
        let pair = group.database ?? (group.item?.old, group.item?.new)
        return pair.new.map { new.entries[$0].path } ?? pair.old.map { old.entries[$0].path } ?? .root
    }

    private func counterparts(old oldIndex: Int?, new newIndex: Int?) -> (old: Int?, new: Int?) {
        if let newIndex {
            let entry = new.entries[newIndex]
            return (old.index(of: entry, in: new), newIndex)
        }
        guard let oldIndex else { return (nil, nil) }
        return (oldIndex, new.index(of: old.entries[oldIndex], in: old))
    }

    /// Returns the index of the database in one of the trees that an entry belongs to; nil for a database itself.
    package mutating func database(of entry: TreeEntry, isNew: Bool) -> Int? {
        for candidate in DatabaseUnit.databases(ofMember: entry.path) {
            let key = Search(isNew: isNew, root: entry.root, candidate: candidate)
            let index: Int?
            if let known = searched[key] {
                index = known
            } else {
                index = search(for: candidate, in: entry.root, isNew: isNew)
                searched[key] = .some(index)
            }
            if let index { return index }
        }
        return nil
    }

    private mutating func search(for candidate: DatabaseUnit.Candidate, in root: TreeRoot, isNew: Bool) -> Int? {
        let entries = isNew ? new.entries : old.entries
        var index = entries.firstIndex(notBefore: candidate.path, in: root)
        while index < entries.count, entries[index].root == root,
            entries[index].path.bytes.starts(with: candidate.path.bytes)
        {
            let rest = entries[index].path.bytes.dropFirst(candidate.path.bytes.count)
            if rest.isEmpty || (candidate.isStem && Self.isExtension(rest)), check(index, isNew) { return index }
            if !candidate.isStem { break }
            index += 1
        }
        return nil
    }

    private static func isExtension(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ".") && !bytes.dropFirst().contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
    }

    private mutating func check(_ index: Int, _ isNew: Bool) -> Bool {
        let key = Key(isNew: isNew, index: index)
        if let known = known[key] { return known }
        let entry = isNew ? new.entries[index] : old.entries[index]
        let answer = entry.kind == .file && isDatabase(isNew, index)
        known[key] = answer
        return answer
    }
}

extension TreeSide {
    fileprivate func index(of entry: TreeEntry, in other: TreeSide) -> Int? {
        var root = entry.root
        if let number = root.groupNumber {
            guard number < other.groups.count, let own = groups.firstIndex(of: other.groups[number]),
                let found = TreeRoot.group(own)
            else { return nil }
            root = found
        }
        return entries.index(of: entry.path, in: root)
    }
}

extension DatabaseUnit {
    /// The text before and after a database's name, without its extension, in the name of the directory of its external blobs
    /// (Core Data).
    private static let supportMarks = (before: UInt8(ascii: "."), behind: Array("_SUPPORT".utf8))
    package static let sharedMemorySuffix = Array("-shm".utf8)

    /// A path at which a database may exist.
    package struct Candidate: Hashable, Sendable {
        /// The path of the database, or the path without its extension if ``isStem`` is true.
        package let path: RelativePath
        /// True if any extension may follow the path.
        package let isStem: Bool
    }

    /// Returns the paths at which the database would be that a file or directory belongs to. Returns an empty array if the name
    /// fits no part of a unit.
    package static func databases(ofMember path: RelativePath) -> [Candidate] {
        for suffix in logSuffixes + [sharedMemorySuffix]
        where path.name.count > suffix.count && path.name.suffix(suffix.count).elementsEqual(suffix) {
            return [Candidate(path: RelativePath(unchecked: Array(path.bytes.dropLast(suffix.count))), isStem: false)]
        }
        var candidates: [Candidate] = []
        var directory: RelativePath? = path
        while let parent = directory, !parent.isRoot {
            let name = parent.name
            if name.first == supportMarks.before, name.count > supportMarks.behind.count + 1,
                name.suffix(supportMarks.behind.count).elementsEqual(supportMarks.behind), let above = parent.parent
            {
                let stem = name.dropFirst().dropLast(supportMarks.behind.count)
                let bytes = above.isRoot ? Array(stem) : above.bytes + [UInt8(ascii: "/")] + stem
                candidates.append(Candidate(path: RelativePath(unchecked: bytes), isStem: true))
            }
            directory = parent.parent
        }
        return candidates
    }

    /// Returns the directory of a database's external blobs, `.STEM_SUPPORT` beside the database.
    package static func support(of database: RelativePath) -> RelativePath? {
        let name = database.name
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { $0 > name.startIndex ? name[..<$0] : name } ?? name
        return try? (database.parent ?? .root).appending([supportMarks.before] + stem + supportMarks.behind)
    }

    private static let externalName = Array("_EXTERNAL_DATA".utf8)

    /// Returns the directory of the files that a database's rows refer to, `.STEM_SUPPORT/_EXTERNAL_DATA` beside the database.
    package static func externalData(of database: RelativePath) -> RelativePath? {
        support(of: database).flatMap { try? $0.appending(externalName) }
    }

    package static let companionSuffixes = logSuffixes + [sharedMemorySuffix]
}
