package import CapsuleCore
package import CapsuleMerge
package import CapsuleSQLite

/// Merges two databases with a common base, by table and primary key (docs/merge.md, section 2).
///
/// The three databases must have the same schema. Rows are paired by the primary key. Values are compared exactly: 1, 1.0, '1' and
/// x'31' are four different values. The result for each column and row is:
///
/// - If one side changed a column, its value is taken. If both sides changed it to the same value, that value is taken.
/// - If both sides changed a column differently, that is a conflict of kind `row` with the column.
/// - If one side deleted a row that the other changed, that is a conflict of kind `row` without a column, whose sides are
///   dictionaries of columns.
/// - If both sides added a row with the same key, each column that differs is a conflict. `base` and `absent` mean that the row
///   doesn't exist; they must resolve all of these conflicts or none.
///
/// Conflicts are sorted by table, then key, then column. Before all others come those about the header's `application_id` and
/// `user_version`, of kind `metadata`.
///
/// If both sides increased a counter that is not the user's, the larger number is taken without a conflict. This applies to
/// `sqlite_sequence` and to Core Data's columns `Z_OPT` and `Z_MAX`, which are mentioned in the notes.
///
/// A table without a key, or the storage of a virtual table, can only be taken from one side as a whole.
package enum DatabaseMerge {
    package enum Outcome: ~Copyable {
        /// A merged database. Its pages, indexes, constraints and foreign keys were checked. Open conflicts have the value of ours.
        case merged(CheckpointedDatabase, MergeSummary)
        /// The rows can't be merged, so the whole unit is one conflict. No conflict was settled.
        ///
        /// - Parameter reason: the reason, in lower case, without a period.
        case wholeUnit(reason: String)
    }

    /// The choice between `merged` and `wholeUnit` depends only on the three databases, never on the decisions. It is the same if
    /// the sides are exchanged.
    ///
    /// - Parameters:
    ///   - base: the common base; nil if there is none, in which case every row counts as added.
    ///   - directory: where the result is created, as a private file that loses its name in the end; `$TMPDIR` if nil, or else `/tmp`.
    ///   - limits: the limits for each database, in each of up to three passes.
    ///   - decisions: settles each conflict once if the outcome is `merged`. Otherwise, and if the function throws, it settles none.
    /// - Throws: `resolution` for a decision that can't be written, or that violates the schema when no conflict is open;
    ///   `notDatabase`, `damaged`, `unsupported`, `limit` or `time` for a side that can't be read, which the message names.
    package static func merge(
        base: consuming DatabaseCopy?, ours: consuming DatabaseCopy, theirs: consuming DatabaseCopy, path: RelativePath?,
        in directory: HostPath? = nil, limits: WorkLimits = WorkLimits(), _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> Outcome {
        var before: Database?
        if let copy = consume base { before = try open(copy, .base, limits).database }
        let inputs = MergePass.Inputs(
            base: before, ours: try open(ours, .ours, limits), theirs: try open(theirs, .theirs, limits).database, path: path,
            directory: directory, limits: limits)
        do throws(MergeFailure) {
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
    ) throws(CapsuleError) -> OpenCheckpointedDatabase {
        do throws(CapsuleError) {
            return try copy.openCheckpointed(limits: limits)
        } catch {
            guard error.isDatabaseFault else { throw error }
            throw CapsuleError(error.code, "\(side.rawValue): \(error.message)")
        }
    }

    /// Finds the conflicts with no decisions made, and only then applies the decisions, which refer to the conflicts found.
    private static func merge(
        _ inputs: MergePass.Inputs, _ decisions: inout MergeDecisions
    ) throws(MergeFailure) -> Outcome {
        var pass = MergePass(inputs, .all(nil))
        let (writer, breach) = try run(&pass)
        if let breach {
            // Find out if other decisions could avoid the violation. If there are no conflicts, none could.
            guard !pass.recorder.conflicts.isEmpty else { throw .broken(breach) }
            pass = MergePass(inputs, .all(.theirs))
            _ = try pass.run()
        }
        var settled = decisions
        for conflict in pass.recorder.conflicts { _ = settled.resolve(conflict) }
        let conflicts = Array(settled.conflicts.dropFirst(decisions.conflicts.count))
        if conflicts.contains(where: { $0.resolution != nil }) {
            return try finish(inputs, conflicts, settled, &decisions)
        }
        return try conclude(inputs, (writer, breach), pass.notes, settled, &decisions)
    }

    private static func finish(
        _ inputs: MergePass.Inputs, _ conflicts: [Conflict], _ settled: MergeDecisions, _ decisions: inout MergeDecisions
    ) throws(MergeFailure) -> Outcome {
        var pass = MergePass(inputs, .each(conflicts))
        let (writer, breach) = try run(&pass)
        if let breach, !conflicts.contains(where: { $0.resolution == nil }) {
            throw .failure(CapsuleError(.resolution, "the resolutions contradict the schema: \(breach)"))
        }
        return try conclude(inputs, (writer, breach), pass.notes, settled, &decisions)
    }

    /// Creates the outcome, then records the conflicts. If the outcome can't be created, no conflict is settled.
    private static func conclude(
        _ inputs: MergePass.Inputs, _ result: (writer: MergeWriter?, breach: String?), _ notes: [String],
        _ settled: MergeDecisions, _ decisions: inout MergeDecisions
    ) throws(MergeFailure) -> Outcome {
        let outcome: Outcome
        if let writer = result.writer, result.breach == nil {
            outcome = try .merged(writer, notes, inputs)
        } else {
            outcome = try .unmerged(inputs.ours, result.breach ?? "")
        }
        decisions = settled
        return outcome
    }

    /// - Returns: the result, or nil and the reason if the result violates the schema.
    private static func run(_ pass: inout MergePass) throws(MergeFailure) -> (MergeWriter?, String?) {
        do throws(MergeFailure) {
            return (try pass.run(), nil)
        } catch {
            guard case .broken(let reason) = error else { throw error }
            return (nil, reason)
        }
    }
}

package struct MergeSummary: Hashable, Sendable {
    /// The counters for which the larger number was taken although both sides changed them, or the reason why nothing was merged;
    /// in lower case, without a period.
    package let notes: [String]
    /// The names of the files in `.STEM_SUPPORT/_EXTERNAL_DATA/` that rows of the result refer to.
    package let externalFiles: Set<String>
}

extension DatabaseMerge.Outcome {
    fileprivate static func merged(
        _ writer: MergeWriter, _ notes: [String], _ inputs: MergePass.Inputs
    ) throws(MergeFailure) -> DatabaseMerge.Outcome {
        do throws(CapsuleError) {
            let facts = MergeSummary(
                notes: notes, externalFiles: try ExternalNames.find(in: writer.connection, like: inputs.ours.database))
            return .merged(try writer.finish(), facts)
        } catch {
            throw .failure(error)
        }
    }

    /// Returns ours unchanged. Open conflicts keep the value of ours, which is inconsistent with the rows merged around them.
    fileprivate static func unmerged(
        _ ours: OpenCheckpointedDatabase, _ reason: String
    ) throws(MergeFailure) -> DatabaseMerge.Outcome {
        do throws(CapsuleError) {
            let note = "not merged while conflicts are open: \(reason)"
            let facts = MergeSummary(
                notes: [note], externalFiles: try ExternalNames.find(in: ours.database.connection, like: ours.database))
            return .merged(CheckpointedDatabase(ours.file, length: ours.length), facts)
        } catch {
            throw .failure(error)
        }
    }
}

/// The reason why a merge of two databases stops.
enum MergeFailure: Error {
    /// The three databases can't be merged by rows, whatever the decisions are.
    case whole(String)
    /// The result would violate the schema. With other decisions it may not.
    case broken(String)
    /// A database can't be read, the disk is full, the time is over, the user asked to stop, or a decision can't be written.
    case failure(CapsuleError)

    /// Returns the error for a resolution that can't be written in the place of a conflict.
    static func unfit(_ conflict: Conflict, _ message: String) -> MergeFailure {
        .failure(CapsuleError(.resolution, "the value taken for the conflict '\(conflict.id)' does not fit there: \(message)"))
    }

    static func reading<Result>(
        _ side: MergeSide, _ body: () throws(CapsuleError) -> Result
    ) throws(MergeFailure) -> Result {
        do throws(CapsuleError) {
            return try body()
        } catch {
            guard error.isDatabaseFault else { throw .failure(error) }
            throw .failure(CapsuleError(error.code, "\(side.rawValue): \(error.message)"))
        }
    }

    /// Runs `body`, which writes to the result or checks it. A violation of the schema stops the merge as `broken`, not as a
    /// failure.
    static func writing<Result>(_ body: () throws(CapsuleError) -> Result) throws(MergeFailure) -> Result {
        do throws(CapsuleError) {
            return try body()
        } catch {
            guard error.code == .unsupported || error.code == .damaged else { throw .failure(error) }
            throw .broken(error.message)
        }
    }
}

/// One of the three states of a database.
enum MergeSide: String {
    case base, ours, theirs
}

/// Finds the external files that a Core Data store refers to.
private enum ExternalNames {
    /// Returns the names in all blobs, or none for a database that is not a Core Data store.
    static func find(in connection: Connection, like database: Database) throws(CapsuleError) -> Set<String> {
        guard CoreDataSchema(database) != nil else { return [] }
        var names: Set<String> = []
        for table in database.schema.storedTables.sorted() {
            let layout = try TableLayout(of: table, in: database.connection)
            for column in layout.columns where column.type == Array("blob".utf8) {
                let name = column.name.quoted
                // Blobs of other lengths are not even read.
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
