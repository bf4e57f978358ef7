import CapsuleCore
import CapsuleHashing
import CapsuleSQLite

/// The rows whose foreign keys refer to missing rows (`PRAGMA foreign_key_check`), each with the referring values.
///
/// A row that refers to another missing row, or that has another key, is a different violation. A row that SQLite merely renumbered
/// is the same one: SQLite reports only row IDs, so rows are identified by their keys and values.
struct ForeignKeyViolations {
    private static let limit = 100_000

    private struct Break: Hashable {
        let key: ForeignKey.Identifier
        /// The digest of the values that identify the row and of the values that refer to a missing row, which may be of any
        /// length.
        let row: ContentDigest
    }

    private var parents: [ForeignKey.Identifier: SQLName] = [:]
    private var breaks: Set<Break> = []

    init(_ connection: Connection) throws(CapsuleError) {
        for (place, count) in try Self.counts(connection).sorted(by: { $0.key < $1.key }) {
            let key = try ForeignKey(place, in: connection)
            parents[place] = key.parent
            let statement = try connection.prepare(try key.broken(in: connection))
            var found = 0
            while try statement.step() {
                breaks.insert(Break(key: place, row: Self.digest(statement.values, key.columnCount)))
                found += 1
            }
            guard found == count else {
                throw CapsuleError(.unsupported, "the foreign keys of table \(place.table.text) use a different collation")
            }
        }
    }

    private static func counts(_ connection: Connection) throws(CapsuleError) -> [ForeignKey.Identifier: Int] {
        let statement = try connection.prepare("PRAGMA foreign_key_check")
        var counts: [ForeignKey.Identifier: Int] = [:]
        var sum = 0
        while try statement.step() {
            sum += 1
            guard sum <= limit else { throw CapsuleError(.unsupported, "more than \(limit) foreign keys refer to missing rows") }
            counts[ForeignKey.Identifier(table: SQLName(statement.string(0) ?? []), number: statement.integer(3)), default: 0] +=
                1
        }
        return counts
    }

    private static func digest(_ values: RowValues, _ count: Int32) -> ContentDigest {
        var hasher = SHA256Hasher()
        for column in 0..<count {
            let value = values[column]
            var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            var number: UInt64 = 0
            switch value.type {
            case .integer: number = UInt64(bitPattern: value.integer)
            case .real: number = value.real.bitPattern
            case .text: bytes = value.text
            default: bytes = value.bytes(isWide: false)
            }
            // Integers and reals have the same rank.
            let rank = value.type == .real ? UInt64.max : UInt64(value.type.rank)
            withUnsafeBytes(of: (rank, number, UInt64(bytes.count))) { hasher.update($0) }
            hasher.update(bytes)
        }
        return hasher.finish()
    }

    /// Returns a description of a violation that neither of two other databases has, or nil if there is none.
    func firstNew(besides ours: ForeignKeyViolations, _ theirs: ForeignKeyViolations) -> String? {
        let new = breaks.filter { !ours.breaks.contains($0) && !theirs.breaks.contains($0) }
        guard let first = new.map(\.key).min(), let parent = parents[first] else { return nil }
        return "a row of \(first.table.text) would refer to a missing row of \(parent.text)"
    }
}

/// A foreign key of a table, as listed by `PRAGMA foreign_key_list`.
private struct ForeignKey {
    struct Identifier: Hashable, Comparable {
        let table: SQLName
        /// The key's number among the keys of the table.
        let number: Int64

        static func < (left: Identifier, right: Identifier) -> Bool { (left.table, left.number) < (right.table, right.number) }
    }

    /// The table that the key refers to, which may not exist.
    let parent: SQLName
    private let table: SQLName
    /// The columns that identify a row: its primary key, or else its row ID if it has a name.
    private let key: [SQLName]
    private let columns: [SQLName]
    /// The columns of the parent; nil for its primary key.
    private let parentColumns: [SQLName]?

    init(_ place: Identifier, in connection: Connection) throws(CapsuleError) {
        table = place.table
        let layout = try TableLayout(of: table, in: connection)
        key = layout.key.isEmpty ? layout.rowID.map { [$0] } ?? [] : layout.key.map(\.name)
        var found: (parent: SQLName, columns: [SQLName], parents: [SQLName])?
        let list = try connection.prepare(Array("PRAGMA main.foreign_key_list(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try list.step() {
            guard list.integer(0) == place.number, let parent = list.string(2), let column = list.string(3) else { continue }
            found = (SQLName(parent), (found?.columns ?? []) + [SQLName(column)], found?.parents ?? [])
            if let other = list.string(4) { found?.parents.append(SQLName(other)) }
        }
        guard let found else { throw CapsuleError(.unsupported, "a foreign key of table \(table.text) is missing in its list") }
        parent = found.parent
        columns = found.columns
        parentColumns = found.parents.count == found.columns.count ? found.parents : nil
    }

    var columnCount: Int32 { Int32(key.count + columns.count) }

    /// Returns a query for the rows that refer to missing rows: the values that identify each row, then the values that refer.
    ///
    /// The parent's columns decide how values are compared, by their collations and affinities. The unary plus removes the affinity
    /// of the child's value (sqlite.org/foreignkeys.html, 3; sqlite.org/datatype3.html, 3.2).
    func broken(in connection: Connection) throws(CapsuleError) -> [UInt8] {
        var sql: [UInt8] = Array("SELECT ".utf8)
        sql += Self.joined((key + columns).map { Self.column("c", $0) }, ",")
        sql += Array(" FROM main.".utf8) + table.quoted + Array(" AS c WHERE ".utf8)
        sql += Self.joined(columns.map { Self.column("c", $0) + Array(" IS NOT NULL".utf8) }, " AND ")
        guard let others = try namesInParent(connection) else { return sql }
        sql += Array(" AND NOT EXISTS(SELECT 1 FROM main.".utf8) + parent.quoted + Array(" AS p WHERE ".utf8)
        sql += Self.joined(zip(others, columns).map { Self.column("p", $0) + Array("=+".utf8) + Self.column("c", $1) }, " AND ")
        return sql + [UInt8(ascii: ")")]
    }

    /// Returns the columns that the key refers to, or nil if the table doesn't exist.
    private func namesInParent(_ connection: Connection) throws(CapsuleError) -> [SQLName]? {
        let table = try connection.prepare(Array("PRAGMA main.table_xinfo(".utf8) + parent.quoted + [UInt8(ascii: ")")])
        guard try table.step() else { return nil }
        if let parentColumns { return parentColumns }
        let key = try TableLayout(of: parent, in: connection).key.map(\.name)
        guard key.count == columns.count else {
            throw CapsuleError(.unsupported, "a foreign key of table \(self.table.text) does not match \(parent.text)")
        }
        return key
    }

    private static func column(_ table: String, _ name: SQLName) -> [UInt8] { Array("\(table).".utf8) + name.quoted }

    private static func joined(_ parts: [[UInt8]], _ separator: String) -> [UInt8] {
        Array(parts.joined(separator: Array(separator.utf8)))
    }
}
