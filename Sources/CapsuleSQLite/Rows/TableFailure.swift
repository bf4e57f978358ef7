/// A table that one side can't read.
struct TableFailure: Error {
    let side: DatabaseSide
    let error: DatabaseError

    /// Runs `body`, whose errors are of a side.
    static func of<Result>(_ side: DatabaseSide, _ body: () throws(DatabaseError) -> Result) throws(TableFailure) -> Result {
        do {
            return try body()
        } catch {
            throw TableFailure(side: side, error: error)
        }
    }
}
