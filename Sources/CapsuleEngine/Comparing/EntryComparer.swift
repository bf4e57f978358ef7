import CapsuleCore

/// Makes a change of what differs at one place, and looks into its content. Any thread may use it.
struct EntryComparer: Sendable {
    private let old: ComparedSide
    private let new: ComparedSide
    private let options: ComparisonOptions

    /// Property lists that are looked into where no other content is: reading them costs no more than the entries do.
    private static let smallLength: UInt64 = 1 << 20

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: ComparisonOptions) {
        self.old = old
        self.new = new
        self.options = options
    }

    /// About how much there is to be read.
    func size(of group: UnitGrouping.Group) -> UInt64 {
        guard let item = group.item else { return .max }
        return item.hasOtherContent ? item.new.map { new.tree.entries[$0].size } ?? 0 : 0
    }

    /// - Returns: the change, and whether all of it is told; nil where nothing is to be told.
    func compare(_ group: UnitGrouping.Group) throws(CapsuleError) -> (EntryChange, Bool)? {
        let places = group.database ?? (group.item?.old, group.item?.new)
        let oldEntry = places.old.map { old.tree.entries[$0] }
        let newEntry = places.new.map { new.tree.entries[$0] }
        guard let path = newEntry?.path ?? oldEntry?.path else { return nil }
        var change = EntryChange(group.item?.kind ?? .modified, at: path, old: oldEntry, new: newEntry)
        var isComplete = true
        var isUnchanged = false
        if let (oldPlace, newPlace) = contents(of: group, places) {
            let finding = try look(oldPlace, newPlace, group)
            change.handler = finding?.handler
            change.details = finding?.details ?? []
            isComplete = finding?.isComplete ?? true
            isUnchanged = finding?.isUnchanged ?? false
        }
        change.details += metadata(of: group)
        if isUnchanged, change.kind == .modified, !change.details.contains(where: { $0.isChange }) { return nil }
        return (change, isComplete)
    }

    /// The places of two files whose contents are to be compared; nil where there are none.
    private func contents(of group: UnitGrouping.Group, _ places: (old: Int?, new: Int?)) -> (Int, Int)? {
        guard let oldPlace = places.old, let newPlace = places.new, old.tree.entries[oldPlace].kind == .file,
            new.tree.entries[newPlace].kind == .file
        else { return nil }
        return group.item?.hasOtherContent == true || !group.members.isEmpty ? (oldPlace, newPlace) : nil
    }

    private func look(
        _ oldPlace: Int, _ newPlace: Int, _ group: UnitGrouping.Group
    ) throws(CapsuleError) -> ContentFinding? {
        for (failure, side) in [(old.failures[oldPlace], HandlerFallback.Side.a), (new.failures[newPlace], .b)] {
            guard let failure else { continue }
            let fallback = HandlerFallback(side: side, from: "content", to: "none", reason: failure.message)
            var finding = ContentFinding("none", [ChangeDetail(.fallback(fallback))])
            finding.isComplete = false
            return finding
        }
        let oldContent = ComparedContent(try old.open(oldPlace), size: old.tree.entries[oldPlace].size)
        let newContent = ComparedContent(try new.open(newPlace), size: new.tree.entries[newPlace].size)
        return try ContentComparer(options).compare(oldContent, newContent)
    }

    private func metadata(of group: UnitGrouping.Group) -> [ChangeDetail] {
        var changes = group.item?.metadata ?? []
        for member in group.members {
            changes += member.metadata.map { change in
                var change = change
                change.member = member.new.map { new.tree.entries[$0].path }
                return change
            }
        }
        return changes.map { ChangeDetail(.metadata($0)) }
    }
}
