import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsuleRules
import CapsuleSQLite
import CapsuleSystem

/// Compares two databases as units: with their logs, and with the files of Core Data's external blobs.
struct DatabaseUnitDiffer: Sendable {
    private let old: ComparedSide
    private let new: ComparedSide
    private let options: DiffOptions

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: DiffOptions) {
        self.old = old
        self.new = new
        self.options = options
    }

    struct UnitDiff {
        /// True if nothing differs, in whatever encoding.
        var isSame: Bool
        /// The tables of both databases, if an expectation may ask for them.
        var tables: [NamedTable] = []
        var external: Set<RelativePath>
    }

    /// - Parameters:
    ///   - changed: the paths of the units' files that differ. Only these are read.
    ///   - tables: the only tables to compare; nil for everything.
    /// - Throws: ``ContentFailure`` if a side is not a readable database.
    func compare(
        _ oldIndex: Int, _ newIndex: Int, changed: Set<RelativePath>, tables: Set<SQLName>? = nil, _ sink: any ChangeSink
    ) throws(ContentFailure) -> UnitDiff {
        let opened = try ParallelMap.run(2, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(ContentFailure) -> TransferredDatabase in
            number == 0 ? try Self.open(old, oldIndex, .a) : try Self.open(new, newIndex, .b)
        }
        let (before, after) = (opened[0].database, opened[1].database)
        var wanted = differenceOptions
        wanted.tables = tables
        let blobs = ExternalBlobs(old: (old, oldIndex), new: (new, newIndex), changed: changed, longest: wanted.nestedBytes)
        let difference: DatabaseDiff
        do throws(CapsuleError) {
            difference = try DatabaseDiff(before, after, options: wanted, external: blobs.find, sink: sink)
        } catch {
            throw Self.failure(error, .both)
        }
        if let failure = blobs.failure { throw .stopped(failure) }
        var unit = UnitDiff(isSame: difference.isSame, external: blobs.compared)
        if options.judging.expectation != nil, let own = try? before.namedTables(), let other = try? after.namedTables() {
            unit.tables = own + other
        }
        for damage in difference.damage {
            let side = damage.side == .old ? HandlerFallback.Side.a : .b
            sink.add(
                .fallback(HandlerFallback(side: side, from: "sqlite", to: HandlerFallback.nothing, reason: damage.message)))
        }
        if difference.isSame, tables == nil { sink.add(.encoding(EncodingChange(old: "sqlite", new: "sqlite")), noise: .sqlite) }
        return unit
    }

    /// The most bytes of details for one database if everything is requested. The details stay in memory until they are complete.
    private static let fullDetailBytes = 256 << 20

    /// A database that one thread opens, and another one uses after that.
    struct TransferredDatabase: @unchecked Sendable {
        let database: Database
    }

    private var differenceOptions: DatabaseDiffOptions {
        var wanted = DatabaseDiffOptions(rows: options.judging.describes ? nil : options.rows.map { UInt64($0) })
        wanted.work = WorkLimits(time: options.databaseTime)
        // An expectation names long values by their digests.
        if options.judging.hasExpectation {
            wanted.dataBytes = 1 << 16
            wanted.textBytes = 1 << 16
            wanted.digestsValues = true
        }
        if options.judging.describes { wanted.detailBytes = Self.fullDetailBytes }
        if options.keepsPictures { wanted.pictureBytes = 256 << 10 }
        if options.isFull {
            wanted.dataBytes = nil
            wanted.textBytes = nil
            wanted.detailBytes = Self.fullDetailBytes
            wanted.nestedBytes = Int(ComparedContent.longest)
        }
        return wanted
    }

    static func open(
        _ side: ComparedSide, _ index: Int, _ name: HandlerFallback.Side
    ) throws(ContentFailure) -> TransferredDatabase {
        let unit = UnitReader(side.contents, side.tree.entries, database: index)
        if let failure = unit.numbers.lazy.compactMap({ side.failures[$0] }).first { throw .stopped(failure) }
        do throws(CapsuleError) {
            return TransferredDatabase(database: try unit.copy().open())
        } catch {
            throw failure(error, name)
        }
    }

    static func failure(_ error: CapsuleError, _ side: HandlerFallback.Side) -> ContentFailure {
        if error.code == .interrupted || error.errno != nil || error.code == .io || error.code == .unread {
            return .stopped(error)
        }
        return .unfit(side, reason: error.message)
    }
}

/// Finds the files of Core Data's external blobs in the trees, and records which of the files that differ were looked up.
private final class ExternalBlobs {
    private let old: Directory?
    private let new: Directory?
    private let changed: Set<RelativePath>
    private let longest: UInt64
    /// The indexes of the files whose bytes were compared with their digests, by side.
    private var checked: [DatabaseSide: Set<Int>] = [:]
    private(set) var compared: Set<RelativePath> = []
    /// The error of the first file that could not be read; nil if all could. After an error, the result for the rows is not valid.
    private(set) var failure: CapsuleError?

    private struct Directory {
        let side: ComparedSide
        let path: RelativePath
        let root: TreeRoot
    }

    init(
        old: (side: ComparedSide, index: Int), new: (side: ComparedSide, index: Int), changed: Set<RelativePath>, longest: Int
    ) {
        self.old = Self.directory(old.side, old.index)
        self.new = Self.directory(new.side, new.index)
        self.changed = changed
        self.longest = UInt64(longest)
    }

    private static func directory(_ side: ComparedSide, _ index: Int) -> Directory? {
        let entry = side.tree.entries[index]
        guard let path = DatabaseUnit.externalData(of: entry.path) else { return nil }
        return Directory(side: side, path: path, root: entry.root)
    }

    func find(_ side: DatabaseSide, _ name: String) -> ExternalFile? {
        guard let directory = side == .old ? old : new, let path = try? directory.path.appending(Array(name.utf8)),
            let index = directory.side.tree.entries.index(of: path, in: directory.root)
        else { return nil }
        let entry = directory.side.tree.entries[index]
        guard entry.kind == .file else { return nil }
        if let failure = directory.side.failures[index] {
            record(failure)
            return nil
        }
        if changed.contains(path) {
            // From here on, only the row reports the file.
            compared.insert(path)
            check(index, side, directory.side)
        }
        return ExternalFile(size: entry.size, digest: entry.digest, head: self.head(of: index, in: directory.side))
    }

    /// Compares a file of any size with its digest, because rows are compared by nothing but the digest.
    private func check(_ index: Int, _ side: DatabaseSide, _ content: ComparedSide) {
        guard checked[side, default: []].insert(index).inserted else { return }
        do throws(CapsuleError) {
            try content.open(index).compare()
        } catch {
            record(error)
        }
    }

    /// Returns the whole file if it is short enough, or else the part that shows its format.
    private func head(of index: Int, in side: ComparedSide) -> [UInt8] {
        let size = side.tree.entries[index].size
        do throws(CapsuleError) {
            let content = ComparedContent(try side.open(index), size: size)
            var head = size <= longest ? try content.all() : nil
            if head == nil { head = try content.head() }
            try content.compare()
            return head ?? []
        } catch {
            record(error)
            return []
        }
    }

    private func record(_ error: CapsuleError) {
        if failure == nil { failure = error }
    }
}

extension EntryDiffer {
    func databases(of group: UnitGrouping.Group) -> (old: Int, new: Int)? {
        let pair = group.database ?? (group.item?.old, group.item?.new)
        guard let oldIndex = pair.old, let newIndex = pair.new,
            group.item.map({ $0.hasOtherContent && $0.kind != .type }) ?? true || !group.members.isEmpty,
            old.isDatabase(oldIndex), new.isDatabase(newIndex)
        else { return nil }
        return (oldIndex, newIndex)
    }

    /// Returns the tables that are compared of a database; nil if all of it is.
    func tables(of oldIndex: Int?, _ newIndex: Int?) -> Set<SQLName>? {
        let found = (
            oldIndex.flatMap { old.tables[old.tree.entries[$0].place] },
            newIndex.flatMap { new.tables[new.tree.entries[$0].place] }
        )
        guard found.0 != nil || found.1 != nil else { return nil }
        return (found.0 ?? []).union(found.1 ?? [])
    }

    func compareUnit(
        _ group: UnitGrouping.Group, _ oldIndex: Int, _ newIndex: Int
    ) throws(CapsuleError) -> [Finding] {
        let changed = Set(group.members.flatMap { [old.path($0.old), new.path($0.new)] }.compactMap { $0 })
        guard var change = change(of: group) else { return [] }
        let judge = judge.entry(change)
        let tables = tables(of: oldIndex, newIndex)
        let found: DatabaseUnitDiffer.UnitDiff
        do throws(ContentFailure) {
            found = try DatabaseUnitDiffer(old, new, options).compare(oldIndex, newIndex, changed: changed, tables: tables, judge)
        } catch {
            switch error {
            case .stopped(let error):
                if error.code == .interrupted { throw error }
                // Comparing the files one by one doesn't show the failure, because a file that only one side has, such as a log, is
                // not read.
                let unread = HandlerFallback(
                    side: .both, from: HandlerFallback.content, to: BytesContents().word,
                    reason: "can't be copied for reading: \(error.message)")
                return try parts(of: group, unread)
            case .unfit(let side, let reason):
                return try parts(of: group, HandlerFallback(side: side, from: "sqlite", to: "bytes", reason: reason))
            }
        }
        change.handler = "sqlite"
        change.tables = found.tables
        if tables != nil { return found.isSame ? [] : [(change, judge)] }
        change.details = (group.item?.metadata ?? []).map { ChangeDetail(.metadata($0)) } + memberMetadata(of: group)
        change.companions = companions(of: group)
        var findings: [Finding] = [(change, judge)]
        // Files of external blobs that no row refers to are reported by themselves.
        var compared = found.external
        for path in found.external {
            var parent = path.parent
            while let directory = parent, compared.insert(directory).inserted { parent = directory.parent }
        }
        for member in group.members where isOwn(member, compared) {
            if let finding = try compare(member) { findings.append(finding) }
        }
        return findings
    }

    /// Returns the unit's other files whose content differs. The shared-memory index of a log (`-shm`) has no content of its own.
    private func companions(of group: UnitGrouping.Group) -> [RelativePath] {
        let differing = group.members.filter { $0.hasOtherContent || $0.kind != .modified }
        let paths = differing.compactMap { new.path($0.new) ?? old.path($0.old) }
        return paths.filter { !$0.name.suffix(4).elementsEqual("-shm".utf8) }.sorted { $0 < $1 }
    }

    /// Returns true if a file of the unit is reported by itself although the database was compared.
    /// - Parameter compared: the files that rows refer to, and the directories around them.
    func isOwn(_ member: TreeDiff.Item, _ compared: Set<RelativePath>) -> Bool {
        guard let path = new.path(member.new) ?? old.path(member.old) else { return false }
        if DatabaseUnit.companionSuffixes.contains(where: { path.name.suffix($0.count).elementsEqual($0) }) { return false }
        return !compared.contains(path)
    }

    /// Compares the unit's files one by one, if the unit can't be compared as a whole.
    private func parts(of group: UnitGrouping.Group, _ fallback: HandlerFallback) throws(CapsuleError) -> [Finding] {
        var findings: [Finding] = []
        var fallbacks = [fallback]
        for item in [group.item].compactMap({ $0 }) + group.members {
            if let finding = try compare(item, after: fallbacks) {
                findings.append(finding)
                if finding.judge.details.contains(where: { $0.content == .fallback(fallback) }) { fallbacks = [] }
            }
        }
        // No file that differs was read, for example because only a log was added.
        if !fallbacks.isEmpty, let judge = findings.first?.judge {
            let notes = judge.details
            judge.restart(fallbacks)
            for note in notes { judge.add(note.content) }
        }
        return findings
    }

    func change(of group: UnitGrouping.Group) -> EntryChange? {
        let pair = group.database ?? (group.item?.old, group.item?.new)
        let (before, after) = (pair.old.map { old.tree.entries[$0] }, pair.new.map { new.tree.entries[$0] })
        guard before != nil || after != nil else { return nil }
        var change = Self.change(group.item?.kind ?? .modified, before, after)
        change.facts = facts(of: group.item)
        return change
    }

    func memberMetadata(of group: UnitGrouping.Group) -> [ChangeDetail] {
        group.members.flatMap { member in
            member.metadata.map { change in
                var change = change
                change.member = new.path(member.new)
                return ChangeDetail(.metadata(change))
            }
        }
    }
}

extension ComparedSide {
    fileprivate func path(_ index: Int?) -> RelativePath? { index.map { tree.entries[$0].path } }
}
