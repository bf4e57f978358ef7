import CapsuleCore
import CapsuleSQLite

/// The columns, the key and the statements used to compare the rows of a table.
struct TableDiffPlan {
    let table: SQLName
    let columns: [ComparedColumn]
    let key: RowKey
    let entityColumn: ColumnPair?
    /// The columns whose values may name those beside them, as in a table of keys and values.
    let pairColumns: [ComparedColumn]
    /// The statement for each side; nil if the side doesn't have the table.
    let oldSQL: [UInt8]?
    let newSQL: [UInt8]?

    /// - Parameters:
    ///   - old, new: the layouts; nil if a side doesn't have the table. At least one must exist.
    ///   - hasNullKeys: true if a side has rows with NULL in the primary key, which then need not be unique.
    ///   - haveSameEncoding: true if both sides store texts in the same encoding.
    ///   - isByContents: true to pair rows by their entire content, whatever keys there are.
    init(
        _ table: SQLName, old: TableLayout?, new: TableLayout?, hasNullKeys: Bool, haveSameEncoding: Bool,
        isByContents: Bool = false, describe: (ColumnInfo) -> ComparedColumn
    ) {
        self.table = table
        var names = Self.names(old, new)
        let key = isByContents ? .contents : Self.key(old, new, names, hasNullKeys: hasNullKeys)
        // A column that is the row ID is compared as the key.
        if case .rowID(let column?) = key, [old, new].allSatisfy({ $0?.isKeyRowID ?? true }) {
            names.removeAll { $0.name.folded == column.folded }
        }
        // If the row ID is the key, it is selected before the columns.
        var places: (old: Int32, new: Int32) = if case .rowID = key { (1, 1) } else { (0, 0) }
        columns = names.map { name in
            defer {
                if name.old != nil { places.old += 1 }
                if name.new != nil { places.new += 1 }
            }
            return describe(
                ColumnInfo(
                    name: name.name, old: name.old == nil ? -1 : places.old, new: name.new == nil ? -1 : places.new,
                    oldType: name.old.flatMap { old?.columns[$0].type }, newType: name.new.flatMap { new?.columns[$0].type }))
        }
        self.key = key
        entityColumn = columns.first { $0.name.folded == Array("z_ent".utf8) }?.pair
        pairColumns = columns.filter { Secrets.isPairColumn($0.name.text) || $0.attribute.map(Secrets.isPairColumn) ?? false }
        oldSQL = old.map { Self.sql($0, key, names.map(\.old), haveSameEncoding: haveSameEncoding) }
        newSQL = new.map { Self.sql($0, key, names.map(\.new), haveSameEncoding: haveSameEncoding) }
    }

    struct ColumnInfo {
        let name: SQLName
        let old: Int32
        let new: Int32
        let oldType: [UInt8]?
        let newType: [UInt8]?
    }

    private typealias Name = (name: SQLName, old: Int?, new: Int?)

    /// Returns the older table's columns in order, then those that only the newer table has.
    private static func names(_ old: TableLayout?, _ new: TableLayout?) -> [Name] {
        let oldColumns = old?.columns ?? []
        let newColumns = new?.columns ?? []
        var places: [[UInt8]: Int] = [:]
        for (place, column) in newColumns.enumerated() { places[column.name.folded] = place }
        var names: [Name] = []
        for (place, column) in oldColumns.enumerated() {
            names.append((column.name, place, places.removeValue(forKey: column.name.folded)))
        }
        for (place, column) in newColumns.enumerated() where places[column.name.folded] != nil {
            names.append((column.name, nil, place))
        }
        return names
    }

    /// Returns the primary key if it is the same on both sides, or else row IDs if both sides have them.
    private static func key(_ old: TableLayout?, _ new: TableLayout?, _ names: [Name], hasNullKeys: Bool) -> RowKey {
        let layouts = [old, new].compactMap { $0 }
        guard let first = layouts.first else { return .contents }
        let keys = layouts.map { $0.key.map(\.name.folded) }
        let isSameKey = keys.allSatisfy { $0 == keys[0] } && !keys[0].isEmpty
        if isSameKey, layouts.allSatisfy({ $0.isKeyRowID }), let name = first.rowID { return .rowID(name) }
        if isSameKey, !hasNullKeys {
            let places = keys[0].compactMap { key in names.firstIndex { $0.name.folded == key } }
            // Each column of a primary key has a stored value in each row, except a virtual one in a hostile schema.
            if places.count == keys[0].count { return .columns(places) }
        }
        if layouts.allSatisfy({ $0.rowID != nil }) { return .rowID(nil) }
        return .contents
    }

    /// Returns a query for the rows in an order that both sides share. No index is used, because it may have another order or be
    /// corrupt.
    private static func sql(_ layout: TableLayout, _ key: RowKey, _ places: [Int?], haveSameEncoding: Bool) -> [UInt8] {
        var sql = Array("SELECT ".utf8)
        var selected = places.compactMap { $0 }.map { layout.columns[$0].name.quoted }
        // SQLite's names for row IDs must not be quoted: SQLite would read them as string literals.
        if case .rowID = key, let name = layout.rowID { selected.insert(layout.isKeyRowID ? name.quoted : name.bytes, at: 0) }
        sql += selected.joined(separator: [UInt8(ascii: ",")])
        sql += Array(" FROM main.".utf8) + layout.name.quoted + Array(" NOT INDEXED ORDER BY ".utf8)
        let order: [[UInt8]]
        switch key {
        case .rowID:
            order = [selected[0]]
        case .columns(let columns):
            order = columns.compactMap { places[$0] }.flatMap { terms(layout.columns[$0].name, haveSameEncoding) }
        case .contents:
            let names = places.compactMap { $0 }.map { layout.columns[$0].name }
            order =
                names.flatMap { terms($0, haveSameEncoding) }
                + names.map { Array("typeof(".utf8) + $0.quoted + [UInt8(ascii: ")")] }
        }
        return sql + order.joined(separator: [UInt8(ascii: ",")])
    }

    /// Returns the terms that sort by a column. The unary plus keeps SQLite from using the stored order, so that rows are always
    /// sorted.
    private static func terms(_ name: SQLName, _ haveSameEncoding: Bool) -> [[UInt8]] {
        if haveSameEncoding { return [[UInt8(ascii: "+")] + name.quoted + Array(" COLLATE BINARY".utf8)] }
        return [
            Array("CASE typeof(".utf8) + name.quoted
                + Array(") WHEN 'null' THEN 0 WHEN 'text' THEN 2 WHEN 'blob' THEN 3 ELSE 1 END".utf8),
            Array("\(TextBytesFunction.name)(".utf8) + name.quoted + Array(") COLLATE BINARY".utf8),
        ]
    }
}

/// The key that pairs rows of two tables.
enum RowKey {
    /// Row IDs, with the column of the primary key that has them; nil if none has.
    case rowID(SQLName?)
    /// Columns that both tables have, as indices of the compared columns.
    case columns([Int])
    /// The entire content of rows. A row that occurs twice counts twice.
    case contents
}

/// The index of a column in the rows of two statements. It is negative if the table has no such column, which is then NULL in all
/// rows.
struct ColumnPair {
    let old: Int32
    let new: Int32
    /// True if blobs in the column may be names of files with the content.
    let mayBeExternal: Bool
}

/// A column of two tables, paired by name.
struct ComparedColumn {
    /// The name, in the older table's spelling if both tables have the column.
    let name: SQLName
    let pair: ColumnPair
    let attribute: String?
    /// True if numbers in the column are dates, as seconds since 2001.
    let isDate: Bool
    /// True if all values are secrets, whatever their types.
    let isHidden: Bool
}

/// The rows of a table on one side, read forward once.
final class RowCursor {
    let side: DatabaseSide
    let values: RowValues
    /// True if texts are stored as UTF-16.
    let isWide: Bool
    private(set) var isAtRow = false
    /// The current row's ID, if rows are paired by it.
    private(set) var rowID = Int64.min
    private var isFirst = true
    private let statement: Statement
    private let isByRowID: Bool

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
        do throws(CapsuleError) {
            isAtRow = try statement.step()
        } catch {
            throw TableFailure(side: side, error: error)
        }
        guard isAtRow, isByRowID else { return }
        let next = values.integer(0)
        guard isFirst || rowID < next else {
            throw TableFailure(side: side, error: CapsuleError(.damaged, "rows are out of order"))
        }
        isFirst = false
        rowID = next
    }
}

/// One of two databases.
package enum DatabaseSide: Hashable, Sendable {
    case old, new
}

/// An error in reading a table on one side.
struct TableFailure: Error {
    let side: DatabaseSide
    let error: CapsuleError

    /// Runs `body` and assigns its errors to a side.
    static func of<Result>(_ side: DatabaseSide, _ body: () throws(CapsuleError) -> Result) throws(TableFailure) -> Result {
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
