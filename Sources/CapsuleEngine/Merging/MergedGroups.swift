import CapsuleCore

/// The app groups of three containers that are merged.
struct MergedGroups {
    /// Of all of them, by bytes.
    let all: [[UInt8]]
    /// Whether they are left as ours has them.
    let arePassedOver: Bool
    /// What is to be said of that, a sentence each.
    let notes: [String]
    private let held: [Set<[UInt8]>]

    /// Gives the three the same groups, with the same numbers.
    ///
    /// - Throws: for more of them together than have numbers.
    init(_ inputs: inout [MergeInput]) throws(CapsuleError) {
        held = inputs.map { Set($0.opened.groups) }
        let union = held.reduce(into: Set()) { $0.formUnion($1) }.sorted { $0.lexicographicallyPrecedes($1) }
        arePassedOver = inputs.contains(where: \.lacksGroups) && !union.isEmpty
        all = union
        notes =
            arePassedOver
            ? union.map {
                "the app group \(String(decoding: $0, as: UTF8.self)) is not merged: one side does not contain it or keeps it elsewhere"
            } : []
        guard !arePassedOver else { return }
        guard union.count <= TreeRoot.maximumGroups else {
            throw CapsuleError(
                "the three sides have \(union.count) app groups, but a container holds at most \(TreeRoot.maximumGroups)",
                hint: "pack them without some groups: '--exclude AppGroups/ID'")
        }
        for number in inputs.indices { inputs[number].renumber(groups: union) }
    }

    /// Gives a result only the groups that it has, and those the directories that hold them.
    ///
    /// - Parameter others: theirs and the base, where ours has no such directory.
    func settle(_ result: inout OpenedContainer, edits: ContainerEdits, _ others: [OpenedContainer]) {
        if arePassedOver { return }
        var edits = edits
        var kept: [[UInt8]] = []
        for (number, group) in all.enumerated() {
            let isThere = held.map { $0.contains(group) }
            let isKept = isThere[1] == isThere[2] ? isThere[1] : isThere[1] != isThere[0] ? isThere[1] : isThere[2]
            let hasEntries = result.entries.contains { $0.root.groupNumber == number }
            if isKept || hasEntries { kept.append(group) }
            guard let path = try? RelativePath(validating: ContainerNames.appGroups + [UInt8(ascii: "/")] + group) else {
                continue
            }
            let place = ContainerEdits.Place(root: .wrapper, path: path)
            if !isKept, !hasEntries {
                edits[place] = nil
            } else {
                for directory in [path.parent ?? path, path] {
                    let place = ContainerEdits.Place(root: .wrapper, path: directory)
                    guard edits[place] == nil else { continue }
                    edits[place] = Self.directory(directory, of: others)
                }
            }
        }
        result = edits.finished()
        result.renumber(groups: kept)
    }

    private static func directory(_ path: RelativePath, of others: [OpenedContainer]) -> ContainerEdits.Item {
        let found = others.lazy.compactMap { other in
            other.entries.place(of: path, in: .wrapper).map { other.entries[$0] }
        }.first
        let entry =
            found
            ?? TreeEntry(path: path, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: Timestamp(seconds: 0))
        return ContainerEdits.Item(entry: entry, source: .madeUp([]))
    }
}
