/// The rows of a table on one side, read forward once.
final class RowCursor {
    let side: DatabaseSide
    /// The values of the current row.
    let values: RowValues
    /// True if texts are stored as UTF-16.
    let isWide: Bool
    /// True if the cursor is at a row.
    private(set) var isAtRow = false
    /// The current row's ID, if rows are paired by it.
    private(set) var rowID = Int64.min
    private var isFirst = true
    private let statement: Statement
    private let isByRowID: Bool

    /// Creates a cursor at the first row.
    init(_ statement: Statement, of side: DatabaseSide, isWide: Bool, isByRowID: Bool) throws(TableFailure) {
        self.statement = statement
        self.side = side
        self.isWide = isWide
        self.isByRowID = isByRowID
        values = statement.values
        try advance()
    }

    /// Advances to the next row, or past the last one.
    ///
    /// - Throws: `damaged` for row IDs that don't increase. Two tables can be paired in one pass only if they do.
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

/// One of two databases.
package enum DatabaseSide: Hashable, Sendable {
    case old
    case new
}

/// An error in reading a table on one side.
struct TableFailure: Error {
    let side: DatabaseSide
    let error: DatabaseError

    /// Runs `body` and assigns its errors to a side.
    static func of<Result>(_ side: DatabaseSide, _ body: () throws(DatabaseError) -> Result) throws(TableFailure) -> Result {
        do {
            return try body()
        } catch {
            throw TableFailure(side: side, error: error)
        }
    }
}

/// Compares values of two statements' rows, exactly or in SQLite's order.
struct RowOrder {
    let old: RowValues
    let new: RowValues
    /// True if texts of both sides can be compared as they are stored.
    private let haveSameEncoding: Bool
    let isOldWide: Bool
    let isNewWide: Bool

    init(_ old: RowCursor, _ new: RowCursor, haveSameEncoding: Bool) {
        self.old = old.values
        self.new = new.values
        self.haveSameEncoding = haveSameEncoding
        isOldWide = old.isWide
        isNewWide = new.isWide
    }

    /// Returns true if two values are the same: of the same type, to the bit.
    @inline(__always)
    func areEqual(_ column: ColumnPair) -> Bool {
        guard column.old >= 0 else { return new.type(column.new) == .null }
        guard column.new >= 0 else { return old.type(column.old) == .null }
        let left = old[column.old]
        let right = new[column.new]
        let type = left.type
        guard type == right.type else { return false }
        switch type {
        case .null: return true
        case .integer: return left.integer == right.integer
        case .real: return left.real.bitPattern == right.real.bitPattern
        case .text where !haveSameEncoding: return left.text.equals(right.text)
        default:
            // Blobs are stored in the same way in all encodings.
            let isWide = isOldWide && type == .text
            return left.bytes(isWide: isWide).equals(right.bytes(isWide: isWide))
        }
    }

    /// Returns a number below, at or above zero, in the order used by the statements of ``TableDiffPlan``.
    func order(_ column: ColumnPair) -> Int32 {
        guard column.old >= 0 else { return new.type(column.new) == .null ? 0 : -1 }
        guard column.new >= 0 else { return old.type(column.old) == .null ? 0 : 1 }
        let left = old[column.old]
        let right = new[column.new]
        let type = left.type
        if type.rank != right.type.rank { return type.rank < right.type.rank ? -1 : 1 }
        switch (type, right.type) {
        case (.null, _): return 0
        case (.integer, .integer): return Self.order(left.integer, right.integer)
        case (.real, .real): return Self.order(left.real, right.real)
        case (.integer, _): return Self.order(left.integer, to: right.real)
        case (.real, _): return -Self.order(right.integer, to: left.real)
        case (.text, _) where !haveSameEncoding: return left.text.order(to: right.text)
        default:
            let isWide = isOldWide && type == .text
            return left.bytes(isWide: isWide).order(to: right.bytes(isWide: isWide))
        }
    }

    /// Compares the types of two values: integers come before reals if the numbers are equal.
    func orderOfTypes(_ column: ColumnPair) -> Int32 {
        let left = column.old >= 0 ? old.type(column.old) : .null
        let right = column.new >= 0 ? new.type(column.new) : .null
        return left == right ? 0 : left == .integer ? -1 : right == .integer ? 1 : 0
    }

    @inline(__always)
    static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int32 {
        left < right ? -1 : left > right ? 1 : 0
    }

    /// Compares an integer and a real numerically, without rounding. SQLite has no NaN.
    static func order(_ integer: Int64, to real: Double) -> Int32 {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real.rounded(.towardZero))
        if integer != whole { return integer < whole ? -1 : 1 }
        return order(Double(whole), real)
    }
}
