package import CapsuleCore

/// Merges two databases that come from one, by table and primary key (docs/merge.md, section 2).
///
/// The three must have the same schema. Rows are paired by the primary key; values are compared exactly: 1, 1.0, '1' and x'31' are
/// four. One side changed a column: its value. Both alike: that. Both differently: a conflict of kind `row`, with the column. One
/// deleted a row that the other changed: a conflict of kind `row` without a column, whose sides are dictionaries of columns. Both
/// added a row under one key: a conflict for each column that differs; `base` and `absent` mean that there is no row, and are taken
/// for all of these or for none. Conflicts come by table, then key, then column; first of all those of the header's
/// `application_id` and `user_version`, of kind `metadata`.
///
/// The larger of two numbers counts, without a conflict, where both sides counted up what is not the user's: in `sqlite_sequence`,
/// and in Core Data's columns `Z_OPT` and `Z_MAX`, of which notes are made.
///
/// A table without a key, and the tables behind a virtual table, can only be one side's as a whole.
package enum DatabaseMerge {
    /// What came of it.
    package enum Outcome: ~Copyable {
        /// A database whose pages, indexes, constraints and foreign keys have been checked. Ours stands at each open conflict.
        case merged(FoldedDatabase, MergeFacts)
        /// The unit can be merged only as a whole, that is: it is one conflict. No conflict was settled.
        ///
        /// - Parameter reason: lower case, no period.
        case wholeUnit(reason: String)
    }

    /// Merges three states of a database.
    ///
    /// Whether the outcome is `wholeUnit` depends on the three databases alone, never on what was decided, and is the same with
    /// the sides exchanged.
    ///
    /// - Parameters:
    ///   - base: where both come from; nil if there was none: then every row is added.
    ///   - path: the database's path, for conflicts.
    ///   - directory: where the result is made, as a private file without a name in the end; `$TMPDIR`, else `/tmp`.
    ///   - limits: for each of the databases, in each of up to three passes.
    ///   - decisions: settles the conflicts, each once, if the outcome is `merged`; else, and where it throws, none.
    /// - Throws: `resolution` for a decision that can't be written, or that breaks what the schema demands once none is open;
    ///   `notDatabase`, `damaged`, `unsupported`, `limit` and `time` for a side that can't be read, which the message names.
    package static func merge(
        base: consuming DatabaseCopy?, ours: consuming DatabaseCopy, theirs: consuming DatabaseCopy, path: RelativePath?,
        in directory: HostPath? = nil, limits: WorkLimits = WorkLimits(), _ decisions: inout MergeDecisions
    ) throws(DatabaseError) -> Outcome {
        var before: Database?
        if let copy = consume base { before = try open(copy, .base, limits).database }
        let inputs = MergePass.Inputs(
            base: before, ours: try open(ours, .ours, limits), theirs: try open(theirs, .theirs, limits).database, path: path,
            directory: directory, limits: limits)
        do throws(MergeStop) {
            return try merge(inputs, &decisions)
        } catch {
            switch error {
            case .whole(let reason), .broken(let reason): return .wholeUnit(reason: reason)
            case .failure(let error): throw error
            }
        }
    }

    private static func open(
        _ copy: consuming DatabaseCopy, _ side: MergeSide, _ limits: WorkLimits
    ) throws(DatabaseError) -> FoldedReading {
        do throws(DatabaseError) {
            return try copy.openFolded(limits: limits)
        } catch {
            guard error.isOfDatabase else { throw error }
            throw DatabaseError(error.code, "\(side.rawValue): \(error.message)")
        }
    }

    /// Finds the conflicts with nothing decided, and only then asks for decisions: these speak of what is found.
    private static func merge(
        _ inputs: MergePass.Inputs, _ decisions: inout MergeDecisions
    ) throws(MergeStop) -> Outcome {
        var pass = MergePass(inputs, .all(nil))
        let (writer, breach) = try run(&pass)
        if let breach {
            // Whether another decision would do better: with none to make, no.
            guard !pass.ledger.conflicts.isEmpty else { throw .broken(breach) }
            pass = MergePass(inputs, .all(.theirs))
            _ = try pass.run()
        }
        var settled = decisions
        for conflict in pass.ledger.conflicts { _ = settled.settle(conflict) }
        let conflicts = Array(settled.conflicts.dropFirst(decisions.conflicts.count))
        if conflicts.contains(where: { $0.resolution != nil }) {
            return try finish(inputs, conflicts, settled, &decisions)
        }
        return try conclude(inputs, (writer, breach), pass.notes, settled, &decisions)
    }

    /// Merges with what was decided.
    private static func finish(
        _ inputs: MergePass.Inputs, _ conflicts: [Conflict], _ settled: MergeDecisions, _ decisions: inout MergeDecisions
    ) throws(MergeStop) -> Outcome {
        var pass = MergePass(inputs, .each(conflicts))
        let (writer, breach) = try run(&pass)
        if let breach, !conflicts.contains(where: { $0.resolution == nil }) {
            throw .failure(DatabaseError(.resolution, "the resolutions contradict the schema: \(breach)"))
        }
        return try conclude(inputs, (writer, breach), pass.notes, settled, &decisions)
    }

    /// Makes the outcome, and only then notes the conflicts: if it can't be made, none of them was settled.
    private static func conclude(
        _ inputs: MergePass.Inputs, _ result: (writer: MergeWriter?, breach: String?), _ notes: [String],
        _ settled: MergeDecisions, _ decisions: inout MergeDecisions
    ) throws(MergeStop) -> Outcome {
        let outcome: Outcome
        if let writer = result.writer, result.breach == nil {
            outcome = try .merged(writer, notes, inputs)
        } else {
            outcome = try .unmerged(inputs.ours, result.breach ?? "")
        }
        decisions = settled
        return outcome
    }

    /// - Returns: no result, but why, for one that the schema does not allow.
    private static func run(_ pass: inout MergePass) throws(MergeStop) -> (MergeWriter?, String?) {
        do throws(MergeStop) {
            return (try pass.run(), nil)
        } catch {
            guard case .broken(let reason) = error else { throw error }
            return (nil, reason)
        }
    }
}

/// What is to be known of a merged database.
package struct MergeFacts: Hashable, Sendable {
    /// What was taken without a conflict though both sides changed it, and why; lower case, no period.
    package let notes: [String]
    /// The names of the files in `.STEM_SUPPORT/_EXTERNAL_DATA/` that rows of the result speak of.
    package let externalFiles: Set<String>
}

extension DatabaseMerge.Outcome {
    fileprivate static func merged(
        _ writer: MergeWriter, _ notes: [String], _ inputs: MergePass.Inputs
    ) throws(MergeStop) -> DatabaseMerge.Outcome {
        do throws(DatabaseError) {
            let facts = MergeFacts(
                notes: notes, externalFiles: try ExternalNames.find(in: writer.connection, like: inputs.ours.database))
            return .merged(try writer.finish(), facts)
        } catch {
            throw .failure(error)
        }
    }

    /// Ours as it is: where a conflict is open, ours stands, and what is merged around it does not fit.
    fileprivate static func unmerged(
        _ ours: FoldedReading, _ reason: String
    ) throws(MergeStop) -> DatabaseMerge.Outcome {
        do throws(DatabaseError) {
            let note = "not merged while conflicts are open: \(reason)"
            let facts = MergeFacts(
                notes: [note], externalFiles: try ExternalNames.find(in: ours.database.connection, like: ours.database))
            return .merged(FoldedDatabase(ours.file, length: ours.length), facts)
        } catch {
            throw .failure(error)
        }
    }
}

/// Why a merge of two databases does not go on.
enum MergeStop: Error {
    /// The three can't be merged by rows, whatever is decided.
    case whole(String)
    /// What would be written contradicts the schema; with other decisions it may not.
    case broken(String)
    /// A database can't be read, the disk is full, the time is over, the user has asked to stop, a decision can't be written.
    case failure(DatabaseError)

    /// What was decided of a conflict can't stand in its place.
    static func unfit(_ conflict: Conflict, _ message: String) -> MergeStop {
        .failure(
            DatabaseError(.resolution, "the value taken for the conflict '\(conflict.id)' does not fit there: \(message)"))
    }

    /// Runs `body`, which reads a side.
    static func reading<Result>(
        _ side: MergeSide, _ body: () throws(DatabaseError) -> Result
    ) throws(MergeStop) -> Result {
        do throws(DatabaseError) {
            return try body()
        } catch {
            guard error.underlying == nil, error.isOfDatabase else { throw .failure(error) }
            throw .failure(DatabaseError(error.code, "\(side.rawValue): \(error.message)"))
        }
    }

    /// Runs `body`, which writes to the result, or checks it: what the schema does not allow is no failure.
    static func writing<Result>(_ body: () throws(DatabaseError) -> Result) throws(MergeStop) -> Result {
        do throws(DatabaseError) {
            return try body()
        } catch {
            guard error.code == .unsupported || error.code == .damaged else { throw .failure(error) }
            throw .broken(error.message)
        }
    }
}

/// One of the three states of a database.
enum MergeSide: String {
    case base
    case ours
    case theirs
}

/// Which files a Core Data store speaks of.
private enum ExternalNames {
    /// The names in all blobs; none for a database that is no store.
    ///
    /// - Parameter database: one with the same schema.
    static func find(in connection: Connection, like database: Database) throws(DatabaseError) -> Set<String> {
        guard CoreDataSchema(database) != nil else { return [] }
        var names: Set<String> = []
        for table in database.schema.storedTables.sorted() {
            let layout = try TableLayout(of: table, in: database.connection)
            for column in layout.columns where column.type == Array("blob".utf8) {
                let name = column.name.quoted
                // Longer ones are not even read.
                let sql: [[UInt8]] = [
                    Array("SELECT ".utf8), name, Array(" FROM main.".utf8), table.quoted,
                    Array(" NOT INDEXED WHERE typeof(".utf8), name, Array(")='blob' AND length(".utf8), name, Array(")=38".utf8),
                ]
                let statement = try connection.prepare(Array(sql.joined()))
                while try statement.step() {
                    guard statement.type(0) == .blob else { continue }
                    if let name = ExternalReference.name(statement.values[0].bytes(isWide: false)) { names.insert(name) }
                }
            }
        }
        return names
    }
}
