import CapsuleCore

/// Makes a change of what differs at one place, and looks into its content. Any thread may use it.
struct EntryComparer: Sendable {
    /// An entry that differs, and whether all of it is told.
    typealias Outcome = (change: EntryChange, isComplete: Bool)

    let old: ComparedSide
    let new: ComparedSide
    let options: ComparisonOptions
    let judge: ChangeJudge
    private let pictures: PictureAlbum?

    /// Property lists that are looked into where no other content is: reading them costs no more than the entries do.
    private static let smallLength: UInt64 = 1 << 20

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: ComparisonOptions) {
        self.old = old
        self.new = new
        self.options = options
        judge = ChangeJudge(
            rules: options.rules, expectation: options.expectation, learns: options.learns, describes: options.describes)
        pictures = options.keepsPictures ? PictureAlbum() : nil
    }

    /// About how much there is to be read.
    func size(of group: UnitGrouping.Group) -> UInt64 {
        guard let item = group.item, group.members.isEmpty else { return .max }
        return item.hasOtherContent ? item.new.map { new.tree.entries[$0].size } ?? 0 : 0
    }

    /// What is to be told of a place: mostly one change, of a unit that can't be read as one also its files', or nothing.
    func compare(_ group: UnitGrouping.Group) throws(CapsuleError) -> [Outcome] {
        if options.depth == .contents, let unit = databases(of: group) {
            return try compareUnit(group, unit.old, unit.new)
        }
        guard let item = group.item else {
            // Only the unit's other files differ, and they are not looked into.
            return change(of: group).map { [($0, true)] } ?? []
        }
        var outcome = try compare(item).map { [$0] } ?? []
        if !outcome.isEmpty { outcome[0].change.details += memberMetadata(of: group) }
        return outcome
    }

    /// Compares one entry on its own.
    func compare(
        _ item: TreeDiff.Item, after fallbacks: [HandlerFallback] = []
    ) throws(CapsuleError) -> Outcome? {
        var change = Self.change(item.kind, item.old.map { old.tree.entries[$0] }, item.new.map { new.tree.entries[$0] })
        var isComplete = true
        if item.hasOtherContent, let finding = try look(item, after: fallbacks) {
            change.handler = finding.handler
            change.details = finding.details
            change.unshown = finding.unshown
            isComplete = finding.isComplete
            if finding.isUnchanged, change.kind == .modified, item.metadata.isEmpty { return nil }
        }
        if let inside = try lookInside(item, at: change.path) { change.unshown = inside }
        change.details += item.metadata.map { ChangeDetail(.metadata($0)) }
        try pictures?.add(to: &change, item, old, new)
        return (change, isComplete)
    }

    static func change(_ kind: EntryChange.Kind, _ old: TreeEntry?, _ new: TreeEntry?) -> EntryChange {
        EntryChange(kind, at: new?.path ?? old?.path ?? .root, old: old, new: new)
    }

    // MARK: Contents

    /// What came of looking into a file that differs; nil where it is not looked into, or is none.
    private func look(
        _ item: TreeDiff.Item, after fallbacks: [HandlerFallback]
    ) throws(CapsuleError) -> ContentFinding? {
        guard let oldPlace = item.old, let newPlace = item.new, old.tree.entries[oldPlace].kind == .file,
            new.tree.entries[newPlace].kind == .file
        else { return nil }
        for (failure, side) in [(old.failures[oldPlace], HandlerFallback.Side.a), (new.failures[newPlace], .b)] {
            if let failure { return Self.unread(side, failure) }
        }
        var side = HandlerFallback.Side.a
        do throws(CapsuleError) {
            let before = ComparedContent(try old.open(oldPlace), size: old.tree.entries[oldPlace].size)
            side = .b
            let after = ComparedContent(try new.open(newPlace), size: new.tree.entries[newPlace].size)
            defer { side = before.hasFailed ? .a : after.hasFailed ? .b : .both }
            if options.depth == .entries {
                guard max(before.size, after.size) <= Self.smallLength, try Self.arePlists(before, after) else { return nil }
            }
            return try ContentComparer(options, judge.entry(at: new.tree.entries[newPlace].path)).compare(
                before, after, after: fallbacks)
        } catch {
            // What else differs is still worth telling.
            if error.code == .interrupted { throw error }
            return Self.unread(side, error)
        }
    }

    /// What guards make of a file that one side alone has; nil where none asks.
    private func lookInside(_ item: TreeDiff.Item, at path: RelativePath) throws(CapsuleError) -> UnshownChanges? {
        guard item.old == nil || item.new == nil, let place = item.new ?? item.old else { return nil }
        let side = item.new == nil ? old : new
        let judge = judge.entry(at: path)
        guard side.tree.entries[place].kind == .file, judge.looksInside else { return nil }
        return try OneSidedContent(side: side, place: place, isNew: item.new != nil, options: options).look(judge)
    }

    private static func arePlists(_ old: ComparedContent, _ new: ComparedContent) throws(CapsuleError) -> Bool {
        for content in [old, new] {
            let kind = ContentKind.candidates(try content.head(), size: content.size).first
            guard kind == .plist || kind == .json else { return false }
        }
        return true
    }

    private static func unread(_ side: HandlerFallback.Side, _ failure: CapsuleError) -> ContentFinding {
        let fallback = HandlerFallback(
            side: side, from: HandlerFallback.content, to: HandlerFallback.nothing, reason: "can't be read: \(failure.message)")
        var finding = ContentFinding(nil, [ChangeDetail(.fallback(fallback))])
        finding.isComplete = false
        return finding
    }
}
