/// The rows of a table of one side, each asked for once.
final class RowCursor {
    let side: DatabaseSide
    /// Those of the row that it is at.
    let values: RowValues
    /// Whether its texts are UTF-16.
    let isWide: Bool
    /// Whether it is at a row.
    private(set) var isAtRow = false
    /// The row's ID, where rows are paired by it.
    private(set) var rowID = Int64.min
    private var isFirst = true
    private let statement: Statement
    private let isByRowID: Bool

    /// Goes to the first row.
    init(_ statement: Statement, of side: DatabaseSide, isWide: Bool, isByRowID: Bool) throws(TableFailure) {
        self.statement = statement
        self.side = side
        self.isWide = isWide
        self.isByRowID = isByRowID
        values = statement.values
        try advance()
    }

    /// Goes to the next row, or behind the last one.
    ///
    /// - Throws: `damaged` for row IDs that do not rise: of two tables only such rows can be paired in one pass.
    func advance() throws(TableFailure) {
        do throws(DatabaseError) {
            isAtRow = try statement.step()
        } catch {
            throw TableFailure(side: side, error: error)
        }
        guard isAtRow, isByRowID else { return }
        let next = values.integer(0)
        guard isFirst || rowID < next else {
            throw TableFailure(side: side, error: DatabaseError(.damaged, "rows are out of order"))
        }
        isFirst = false
        rowID = next
    }
}
