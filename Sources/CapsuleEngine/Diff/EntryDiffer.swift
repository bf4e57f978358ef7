import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleRules
import CapsuleSQLite
import CapsuleSystem
import Synchronization

/// Creates the change for an entry that differs, and compares its contents. Any thread may use it.
struct EntryDiffer: Sendable {
    /// An entry that differs, and what its judge took of it. The entry's own details are those besides its content.
    typealias Finding = (change: EntryChange, judge: EntryJudge)

    let old: ComparedSide
    let new: ComparedSide
    let options: DiffOptions
    let judge: ChangeJudge
    private let pictures: ImageCollector?

    /// The longest property list that is compared if contents are not. Reading it costs no more than reading the entries.
    private static let smallLength: UInt64 = 1 << 20

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: DiffOptions) {
        self.old = old
        self.new = new
        self.options = options
        judge = ChangeJudge(options.judging, captured: new.captured)
        pictures = options.keepsPictures ? ImageCollector() : nil
    }

    /// Fetches the files of sides on a server that are compared, in two waves.
    func fetch(_ groups: [UnitGrouping.Group]) throws(CapsuleError) {
        let items = groups.flatMap { group in
            ([group.item].compactMap { $0 } + group.members).filter {
                $0.hasOtherContent && (group.database != nil || $0.old != nil && $0.new != nil)
            }
        }
        let databases = groups.compactMap(\.database)
        let isRead = { [options] (side: ComparedSide, index: Int) in
            options.depth == .contents || side.tree.entries[index].size <= Self.smallLength
        }
        try old.contents.fetch((items.compactMap(\.old) + databases.compactMap(\.old)).filter { isRead(old, $0) })
        try new.contents.fetch((items.compactMap(\.new) + databases.compactMap(\.new)).filter { isRead(new, $0) })
    }

    func size(of group: UnitGrouping.Group) -> UInt64 {
        guard let item = group.item, group.members.isEmpty else { return .max }
        return item.hasOtherContent ? item.new.map { new.tree.entries[$0].size } ?? 0 : 0
    }

    /// Compares a group. The result is mostly one change. It is empty if nothing differs, and includes the files of a unit that
    /// can't be compared as a whole.
    func compare(_ group: UnitGrouping.Group) throws(CapsuleError) -> [EntryChange] {
        try findings(in: group).map { $0.judge.finished($0.change) }
    }

    private func findings(in group: UnitGrouping.Group) throws(CapsuleError) -> [Finding] {
        let pair = group.database ?? (group.item?.old, group.item?.new)
        let tables = tables(of: pair.old, pair.new)
        if options.depth == .contents || tables != nil, let unit = databases(of: group) {
            return try compareUnit(group, unit.old, unit.new)
        }
        // Facts of the file are not changes of its tables.
        if tables != nil, pair.old != nil, pair.new != nil { return [] }
        guard let item = group.item else {
            // Only the unit's other files differ, and their contents are not compared.
            return change(of: group).map { [($0, judge.entry($0))] } ?? []
        }
        guard var finding = try compare(item) else { return [] }
        finding.change.details += memberMetadata(of: group)
        guard item.old == nil || item.new == nil || item.kind == .type else { return [finding] }
        // The files around a database that only one side has are lines of their own, since no rows are compared.
        var findings = [finding]
        for member in group.members where isOwn(member, []) {
            if let finding = try compare(member) { findings.append(finding) }
        }
        return findings
    }

    func compare(
        _ item: TreeDiff.Item, after fallbacks: [HandlerFallback] = []
    ) throws(CapsuleError) -> Finding? {
        var change = Self.change(item.kind, item.old.map { old.tree.entries[$0] }, item.new.map { new.tree.entries[$0] })
        change.facts = facts(of: item)
        if options.judging.hasExpectation, let index = item.new,
            item.old == nil || change.kind == .type || judge.asksForContent(at: change.path)
        {
            change.content = try FileContent(of: index, in: new, options)
        }
        let judge = judge.entry(change)
        if item.hasOtherContent, let finding = try look(item, judge, after: fallbacks) {
            change.handler = finding.handler
            change.documents = finding.documents
            if finding.isUnchanged, change.kind == .modified, item.metadata.isEmpty { return nil }
        }
        try lookInside(item, judge)
        change.details = item.metadata.map { ChangeDetail(.metadata($0)) } + unlisted(at: change.path)
        try pictures?.add(to: &change, item, old, new)
        return (change, judge)
    }

    /// Returns notes that a directory could not be listed.
    private func unlisted(at path: RelativePath) -> [ChangeDetail] {
        [(old, HandlerFallback.Side.a), (new, .b)].compactMap { side, name in
            side.unlisted[path].map { ChangeDetail(.fallback(.nothing(name, "can't be listed: \($0)"))) }
        }
    }

    /// Returns the directories that could not be listed and are not among the entries that differ.
    func unlisted(besides found: [EntryChange]) -> [EntryChange] {
        let paths = Set(old.unlisted.keys).union(new.unlisted.keys)
        if paths.isEmpty { return [] }
        return paths.subtracting(found.map(\.path)).map { path in
            let change = EntryChange(.modified, at: path, details: unlisted(at: path))
            return judge.entry(change).finished(change)
        }
    }

    /// Returns the mode and the attributes of an entry that was added or became something else; nil for what its side can't hold.
    func facts(of item: TreeDiff.Item?) -> (mode: FileMode?, attributes: [ExtendedAttribute]?) {
        guard let item, let index = item.new, item.old == nil || item.kind == .type else { return (nil, nil) }
        let entry = new.tree.entries[index]
        return (entry.knownMode, entry.knownAttributes)
    }

    static func change(_ kind: EntryChange.Kind, _ old: TreeEntry?, _ new: TreeEntry?) -> EntryChange {
        EntryChange(kind, at: new?.path ?? old?.path ?? .root, old: old, new: new)
    }

    /// Compares the contents of a file that differs. Returns nil if they are not compared, or if a side is not a file.
    private func look(
        _ item: TreeDiff.Item, _ judge: EntryJudge, after fallbacks: [HandlerFallback]
    ) throws(CapsuleError) -> ContentFinding? {
        guard let oldIndex = item.old, let newIndex = item.new, old.tree.entries[oldIndex].kind == .file,
            new.tree.entries[newIndex].kind == .file
        else { return nil }
        for (failure, side) in [(old.failures[oldIndex], HandlerFallback.Side.a), (new.failures[newIndex], .b)] {
            if let failure { return unread(side, failure, judge) }
        }
        var side = HandlerFallback.Side.a
        do throws(CapsuleError) {
            let before = ComparedContent(try old.open(oldIndex), size: old.tree.entries[oldIndex].size)
            side = .b
            let after = ComparedContent(try new.open(newIndex), size: new.tree.entries[newIndex].size)
            defer { side = before.hasFailed ? .a : after.hasFailed ? .b : .both }
            if options.depth == .entries {
                guard max(before.size, after.size) <= Self.smallLength, try Self.arePlists(before, after) else { return nil }
            }
            return try ContentDiffer(options.contents, judge).compare(before, after, after: fallbacks)
        } catch {
            // Other differences are still worth reporting.
            if error.code == .interrupted { throw error }
            return unread(side, error, judge)
        }
    }

    /// Judges the content of a file that only one side has, or that became something else, if anything asks for it.
    private func lookInside(_ item: TreeDiff.Item, _ judge: EntryJudge) throws(CapsuleError) {
        guard item.old == nil || item.new == nil || item.kind == .type, let inside = judge.lookingInside() else { return }
        for (side, index, isNew) in [(old, item.old, false), (new, item.new, true)] {
            guard let index, side.tree.entries[index].kind == .file else { continue }
            let content = OneSidedContent(side: side, index: index, isNew: isNew, databaseTime: options.databaseTime)
            return try content.tell(inside).map(inside.fail) ?? ()
        }
    }

    private static func arePlists(_ old: ComparedContent, _ new: ComparedContent) throws(CapsuleError) -> Bool {
        for content in [old, new] where try ContentFormats.candidates(content).first?.holdsValues != true { return false }
        return true
    }

    private func unread(_ side: HandlerFallback.Side, _ failure: CapsuleError, _ judge: EntryJudge) -> ContentFinding {
        judge.restart([.nothing(side, "can't be read: \(failure.message)")])
        return ContentFinding(nil)
    }
}

/// A file that only one side has. Its content is the difference from nothing.
private struct OneSidedContent {
    let side: ComparedSide
    let index: Int
    let isNew: Bool
    let databaseTime: Duration?

    /// Tells a sink every value, or the schema and the rows of a database.
    /// - Returns: the reason why not all of it could be read; nil if it could.
    func tell(_ sink: any ChangeSink) throws(CapsuleError) -> HandlerFallback? {
        do throws(ContentFailure) {
            try side.isDatabase(index) ? tellRows(sink) : tellValues(sink)
            return nil
        } catch {
            switch error {
            case .stopped(let error):
                if error.code == .interrupted { throw error }
                return .nothing(own, "can't be read: \(error.message)")
            case .unfit(let side, let reason):
                let from = self.side.isDatabase(index) ? "sqlite" : "plist"
                return HandlerFallback(side: side, from: from, to: HandlerFallback.nothing, reason: reason)
            }
        }
    }

    private var own: HandlerFallback.Side { isNew ? .b : .a }

    private func tellValues(_ sink: any ChangeSink) throws(ContentFailure) {
        let content: ComparedContent
        let format: (any ContentFormat)?
        do throws(CapsuleError) {
            if let failure = side.failures[index] { throw failure }
            content = ComparedContent(try side.open(index), size: side.tree.entries[index].size)
            format = try ContentFormats.candidates(content).first
        } catch {
            throw ContentFailure(error, own)
        }
        if let format, format.holdsValues { try format.tell(content, isNew: isNew, sink) }
    }

    /// Compares the database with an empty one.
    private func tellRows(_ sink: any ChangeSink) throws(ContentFailure) {
        let database = try DatabaseUnitDiffer.open(side, index, own).database
        let found: DatabaseDiff
        do throws(CapsuleError) {
            let empty = try DatabaseCopy().open()
            var wanted = DatabaseDiffOptions(rows: 0)
            wanted.detailBytes = 0
            wanted.work = WorkLimits(time: databaseTime)
            found = try DatabaseDiff(isNew ? empty : database, isNew ? database : empty, options: wanted, sink: sink)
        } catch {
            throw DatabaseUnitDiffer.failure(error, own)
        }
        if let damage = found.damage.first { throw .unfit(own, reason: damage.message) }
        if let limit = found.gap { throw .unfit(own, reason: limit.reason) }
    }
}

extension FileContent {
    /// - Returns: nil for anything but a property list, JSON and a database.
    fileprivate init?(of index: Int, in side: ComparedSide, _ options: DiffOptions) throws(CapsuleError) {
        let entry = side.tree.entries[index]
        guard entry.kind == .file, side.failures[index] == nil else { return nil }
        do throws(CapsuleError) {
            if side.isDatabase(index) {
                let copy = try UnitReader(side.contents, side.tree.entries, database: index).copy()
                let limits = WorkLimits(time: options.databaseTime)
                let digest = try copy.open().contentDigest(limits: limits, stable: StableValue.of)
                self.init(isDatabase: true, digest: digest)
                return
            }
            let content = ComparedContent(try side.open(index), size: entry.size)
            guard let format = try ContentFormats.candidates(content).first, let digest = try? format.digest(of: content) else {
                return nil
            }
            self.init(isDatabase: false, digest: digest)
        } catch {
            if error.code == .interrupted { throw error }
            guard side.isDatabase(index) else { return nil }
            self.init(isDatabase: true, digest: nil)
        }
    }
}

extension HandlerFallback {
    fileprivate static func nothing(_ side: Side, _ reason: String) -> HandlerFallback {
        HandlerFallback(side: side, from: content, to: nothing, reason: reason)
    }
}

/// Keeps images of changed files for a report that shows them, up to a limit of memory.
private final class ImageCollector: Sendable {
    private static let longest: UInt64 = 4 << 20
    private static let byteBudget: UInt64 = 48 << 20

    private let used = Mutex<UInt64>(0)

    func add(
        to change: inout EntryChange, _ item: TreeDiff.Item, _ old: ComparedSide, _ new: ComparedSide
    ) throws(CapsuleError) {
        // An entry that only moved, or has a different mode, has the same image on both sides.
        if item.old != nil, item.new != nil, !item.hasOtherContent, change.kind != .type { return }
        change.pictures = (try picture(item.old, of: old), try picture(item.new, of: new))
    }

    private func picture(_ index: Int?, of side: ComparedSide) throws(CapsuleError) -> EntryChange.Picture? {
        guard let index, side.failures[index] == nil, side.tree.entries[index].kind == .file else { return nil }
        let size = side.tree.entries[index].size
        guard size > 0, size <= Self.longest, let file = try? side.open(index) else { return nil }
        let content = ComparedContent(file, size: size)
        guard let head = try? content.head(), let header = ImageHeader(head), reserve(size) else { return nil }
        try CapsuleError.checkInterruption()
        return (try? content.all()).flatMap { $0 }.map { EntryChange.Picture(type: header.mediaType, bytes: $0) }
    }

    private func reserve(_ size: UInt64) -> Bool {
        used.withLock { used in
            guard used + size <= Self.byteBudget else { return false }
            used += size
            return true
        }
    }
}
