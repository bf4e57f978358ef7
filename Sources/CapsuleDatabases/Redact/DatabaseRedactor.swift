package import CapsuleCore
import CapsulePropertyList
package import CapsuleSQLite

/// Removes secrets from a private copy of a database, which is written anew.
package struct DatabaseRedactor {
    private let redaction: Redaction
    private let secrets: FileSecrets

    package init(_ redaction: Redaction, _ secrets: FileSecrets) {
        self.redaction = redaction
        self.secrets = secrets
    }

    /// The most columns that one statement changes. Its condition must not be nested too deep.
    private static let mostColumns = 100

    /// - Returns: the database without secrets, deleted rows, free pages and statistics, which have values of rows.
    package func run(_ copy: consuming DatabaseCopy, limits: WorkLimits) throws(CapsuleError) -> CheckpointedDatabase {
        try copy.rewrite(limits: limits) { (connection, schema) throws(CapsuleError) in
            let columns = Columns()
            var failure: CapsuleError?
            connection.define(Self.function) { value, number in
                do throws(CapsuleError) {
                    return try replacement(for: value, in: columns.all[number])
                } catch {
                    failure = failure ?? error
                    return nil
                }
            }
            for table in schema.tables.sorted() where !schema.isFullTextIndex(table) && table.folded != Self.sequences {
                try redact(table, isTree: schema.isTree(table), connection, columns)
            }
            if let failure { throw failure }
            for table in schema.fullTextTables { try Self.rebuild(table, connection) }
            for name in Self.statistics where try connection.integer("SELECT 1 FROM sqlite_master WHERE name='\(name)'") != nil {
                try connection.run("DELETE FROM \(name)")
            }
        }
    }

    private static let function = "capsule_redacted"
    private static let sequences = Array("sqlite_sequence".utf8)
    private static let statistics = ["sqlite_stat3", "sqlite_stat4"]

    /// The columns by the numbers that statements have for them.
    private final class Columns {
        var all: [(table: String, name: String)] = []
    }

    /// - Parameter isTree: true for a table of an R-tree. It has each number twice, once in a blob, and can't be changed alone.
    private func redact(
        _ table: SQLName, isTree: Bool, _ connection: Connection, _ columns: Columns
    ) throws(CapsuleError) {
        let names = try TableLayout(of: table, in: connection).columns.filter { !$0.isGenerated }.map(\.name)
        for start in stride(from: 0, to: names.count, by: Self.mostColumns) {
            let calls = names[start..<min(names.count, start + Self.mostColumns)].map { name in
                columns.all.append((table.text, name.text))
                let call = Array("\(Self.function)(".utf8) + name.quoted + Array(",\(columns.all.count - 1))".utf8)
                return (name: name, call: call)
            }
            let values = calls.map {
                $0.name.quoted + Array("=coalesce(".utf8) + $0.call + [UInt8(ascii: ",")] + $0.name.quoted + Array(")".utf8)
            }
            let tests = calls.map { $0.call + Array(" IS NOT NULL".utf8) }
            let condition = Array(" WHERE ".utf8) + Array(tests.joined(separator: Array(" OR ".utf8)))
            if isTree {
                guard try connection.prepare(Array("SELECT 1 FROM main.".utf8) + table.quoted + condition).step() else {
                    continue
                }
                throw CapsuleError(
                    .unsupported, "the R-tree of its table '\(table.text)' has a secret, and can't be written anew")
            }
            let sql: [UInt8] =
                Array("UPDATE OR ABORT main.".utf8) + table.quoted + Array(" SET ".utf8)
                + Array(values.joined(separator: [UInt8(ascii: ",")])) + condition
            try connection.prepare(sql).execute()
        }
    }

    private static func rebuild(_ table: SQLName, _ connection: Connection) throws(CapsuleError) {
        let sql =
            Array("INSERT INTO main.".utf8) + table.quoted + Array("(".utf8) + table.quoted + Array(") VALUES('rebuild')".utf8)
        do throws(CapsuleError) {
            try connection.prepare(sql).execute()
        } catch {
            throw CapsuleError(
                error.code == .interrupted ? .interrupted : .unsupported,
                "its full-text index '\(table.text)' can't be rebuilt: \(error.message)")
        }
    }

    private func replacement(
        for value: RowValue, in column: (table: String, name: String)
    ) throws(CapsuleError) -> Connection.ReplacedValue? {
        switch value.type {
        case .text:
            redaction.text(Array(value.text), in: secrets, table: column.table, name: column.name).map { .text($0) }
        case .blob:
            try redaction.data(Array(value.bytes(isWide: false)), in: secrets, table: column.table, name: column.name)
                .map { .blob($0) }
        case .integer:
            redaction.isSecret(PlistInteger(value.integer), in: secrets, table: column.table, name: column.name)
                ? .integer(0) : nil
        case .real: redaction.isSecret(value.real, in: secrets, table: column.table, name: column.name) ? .integer(0) : nil
        case .null: nil
        }
    }
}
