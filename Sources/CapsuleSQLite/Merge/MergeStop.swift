import CapsuleCore

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
