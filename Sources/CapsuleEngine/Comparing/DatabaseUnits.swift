import CapsuleCore
import CapsuleFileSystem
import CapsuleSQLite

/// Compares two databases as units: with their logs, and with the files of Core Data's external blobs.
struct DatabaseUnits: Sendable {
    private let old: ComparedSide
    private let new: ComparedSide
    private let options: ComparisonOptions
    private let judge: ChangeJudge

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: ComparisonOptions, _ judge: ChangeJudge) {
        self.old = old
        self.new = new
        self.options = options
        self.judge = judge
    }

    /// What came of it.
    struct Finding {
        var content: ContentFinding
        /// The files of external blobs that rows speak of, and that were compared as part of them.
        var external: Set<RelativePath> = []
    }

    /// - Parameters:
    ///   - oldPlace: the database's place among the older tree's entries.
    ///   - changed: the paths of files of the units that differ; only these are looked into.
    /// - Throws: ``HandlerFailure`` for what is no database that can be read.
    func compare(_ oldPlace: Int, _ newPlace: Int, changed: Set<RelativePath>) throws(HandlerFailure) -> Finding {
        let opened = try ParallelMap.run(2, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(HandlerFailure) -> HandedDatabase in
            number == 0 ? try open(old, oldPlace, .a) : try open(new, newPlace, .b)
        }
        let (before, after) = (opened[0].database, opened[1].database)
        let wanted = differenceOptions
        let blobs = ExternalBlobs(
            old: (old, oldPlace), new: (new, newPlace), changed: changed, longest: wanted.nestedBytes)
        let difference: DatabaseDifference
        do throws(DatabaseError) {
            difference = try DatabaseDifference(
                before, after, options: wanted, external: blobs.find, judge: judge.entry(at: new.tree.entries[newPlace].path))
        } catch {
            throw Self.failure(error, .both)
        }
        if let failure = blobs.failure { throw .stopped(failure) }
        var finding = ContentFinding("sqlite", difference.details)
        finding.unshown = difference.unshown
        if options.expectation != nil, let own = try? before.namedTables(), let other = try? after.namedTables() {
            finding.tables = own + other
        }
        finding.isComplete = difference.isComplete && difference.unshown.isEmpty && difference.damage.isEmpty
        for damage in difference.damage {
            let side = damage.side == .old ? HandlerFallback.Side.a : .b
            finding.details.append(
                ChangeDetail(
                    .fallback(HandlerFallback(side: side, from: "sqlite", to: HandlerFallback.nothing, reason: damage.message))))
        }
        if difference.isSame {
            finding.details = [ChangeDetail(.encoding(EncodingChange(old: "sqlite", new: "sqlite")), noise: .sqlite)]
        }
        return Finding(content: finding, external: blobs.compared)
    }

    /// Bytes of what is told of a database where all is asked for: it is held until all of it is there.
    private static let fullDetailBytes = 256 << 20

    /// Opened by one thread, and used by another when that is done with it.
    private struct HandedDatabase: @unchecked Sendable {
        let database: Database
    }

    private var differenceOptions: DifferenceOptions {
        var wanted = DifferenceOptions(rows: options.rows.map { UInt64($0) }, showsSecrets: options.showsSecrets)
        wanted.work = WorkLimits(time: options.databaseTime)
        if options.isFull {
            wanted.dataBytes = nil
            wanted.textBytes = nil
            wanted.detailBytes = Self.fullDetailBytes
            wanted.nestedBytes = Int(ComparedContent.longest)
        }
        return wanted
    }

    private func open(
        _ side: ComparedSide, _ place: Int, _ name: HandlerFallback.Side
    ) throws(HandlerFailure) -> HandedDatabase {
        let unit = UnitReader(side.content, side.tree.entries, database: place)
        if let failure = unit.places.lazy.compactMap({ side.failures[$0] }).first { throw .stopped(failure) }
        do throws(DatabaseError) {
            return HandedDatabase(database: try unit.copy().open())
        } catch {
            throw Self.failure(error, name)
        }
    }

    static func failure(_ error: DatabaseError, _ side: HandlerFallback.Side) -> HandlerFailure {
        if error.code == .interrupted || error.code == .fileSystem || error.code == .unread {
            return .stopped(CapsuleError(error))
        }
        return .unfit(side, reason: error.message)
    }
}
