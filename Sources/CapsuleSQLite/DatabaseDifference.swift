package import CapsuleCore

/// What differs between two databases: their schemas, then the rows of each table (docs/diff.md).
///
/// Rows are paired by the primary key where it is the same on both sides, else by row ID, else by all they hold. Values are
/// compared exactly: 1, 1.0, '1' and x'31' are four. A column that one side alone has is NULL on the other. What SQLite keeps
/// for itself (statistics), virtual generated columns and full-text indexes are left out; see ``DatabaseSchema``.
package struct DatabaseDifference: Sendable {
    /// A table that could not be read to its end.
    package struct Damage: Hashable, Sendable {
        package let side: DatabaseSide
        package let table: String
        /// What is wrong, with the table, lower case, no period.
        package let message: String
    }

    /// Schema changes by kind and name, pragmas, then tables by name and their rows by key; ``DetailLimit`` behind what it is about.
    package let details: [ChangeDetail]
    /// What could not be read; what was told of such a table before is so, and all other tables are whole.
    package let damage: [Damage]
    /// Whether all was looked at and is told.
    package let isComplete: Bool
    /// What was judged without being told.
    package let unshown: UnshownChanges

    /// Whether the databases hold the same, however they store it.
    package var isSame: Bool { details.isEmpty && damage.isEmpty && isComplete }

    /// Compares two databases.
    ///
    /// - Parameters:
    ///   - external: finds the files of Core Data's external blobs.
    ///   - judge: takes the changes that are not told, and says which rows are noise: the limit doesn't count these.
    /// - Throws: `interrupted` where the user stopped it, and for failures that are not the databases' own.
    package init(
        _ old: Database, _ new: Database, options: DifferenceOptions = DifferenceOptions(),
        external: @escaping ExternalLookup = { _, _ in nil }, judge: EntryJudge = EntryJudge()
    ) throws(DatabaseError) {
        var run = DifferenceRun(old, new, options, external, judge)
        try run.compare()
        details = run.report.details
        damage = run.report.damage
        isComplete = run.report.isComplete
        unshown = run.report.judge.unshown
    }
}
