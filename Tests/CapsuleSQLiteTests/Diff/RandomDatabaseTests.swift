import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleSQLite
import TestSupport
import Testing

/// Random tables with random edits, compared with SQLite's own results for both.
@Suite("random databases")
struct RandomDatabaseTests {
    /// A table's shape: its SQL, its key, and all of its columns.
    private struct Shape {
        let sql: String
        let key: [String]
        let columns: [String]
    }

    private static let shapes = [
        Shape(sql: "t(id INTEGER PRIMARY KEY, a, b TEXT, c REAL)", key: ["id"], columns: ["id", "a", "b", "c"]),
        Shape(sql: "t(a PRIMARY KEY NOT NULL, b, c)", key: ["a"], columns: ["a", "b", "c"]),
        Shape(sql: "t(k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID", key: ["k"], columns: ["k", "v"]),
        Shape(sql: "t(x, y BLOB, z, w, PRIMARY KEY(z, x)) WITHOUT ROWID", key: ["z", "x"], columns: ["x", "y", "z", "w"]),
        Shape(sql: "t(m, n INTEGER, o)", key: ["rowid"], columns: ["m", "n", "o"]),
    ]

    @Test(arguments: SeededGenerator.seeds)
    func changesAreWhatSQLiteSays(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let directory = try TemporaryDirectory()
            let shape = random.pick(Self.shapes)
            let settings = "PRAGMA synchronous=OFF; PRAGMA page_size=\(random.pick([512, 1024, 4096]));"
            let encodings = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]
            let old = try LiveDatabase(
                directory["old"], "PRAGMA encoding='\(random.pick(encodings))';\(settings) CREATE TABLE \(shape.sql)")
            let new = try LiveDatabase(
                directory["new"], "PRAGMA encoding='\(random.pick(encodings))';\(settings) CREATE TABLE \(shape.sql)")
            for number in 0..<random.number(0...80) {
                let values = shape.columns.map { _ in Self.value(&random) }.joined(separator: ",")
                let rowID = shape.key == ["rowid"] ? ("rowid,", "\(number * 3),") : ("", "")
                let insert =
                    "INSERT OR IGNORE INTO t(\(rowID.0)\(shape.columns.joined(separator: ","))) VALUES (\(rowID.1)\(values))"
                // Rows that the types of a table don't allow are inserted into neither.
                if !random.isLucky(oneIn: 12) { try? old.run(insert) }
                if !random.isLucky(oneIn: 12) { try? new.run(insert) }
            }
            if random.isLucky(oneIn: 2) { try new.run("PRAGMA journal_mode=WAL") }
            for _ in 0..<random.number(0...10) {
                let column = random.pick(shape.columns)
                let key = shape.key[0]
                let place = random.number(0...40)
                try? new.run(
                    "UPDATE OR IGNORE t SET \(column) = \(Self.value(&random)) WHERE \(key) = "
                        + "(SELECT \(key) FROM t LIMIT 1 OFFSET \(place))")
            }
            let expected = try Self.changes(shape, old, new)
            let found = try FoundDifference(
                copy(old.path).open(), copy(new.path).open(), options: DatabaseDiffOptions(rows: nil))
            let told = found.details.compactMap { detail in
                if case .row(let row) = detail.content { Self.line(row) } else { nil }
            }
            #expect(told.sorted() == expected.sorted(), "round \(round) of seed \(seed): \(shape.sql)")
            #expect(found.isComplete)
        }
    }

    private static func value(_ random: inout SeededGenerator) -> String {
        switch random.number(0...9) {
        case 0: "NULL"
        case 1...3: "\(random.number(-20...20))"
        case 4: "\(random.number(-9...9)).5"
        case 5: "x'\(hexadecimal(random.bytes(random.number(0...3))))'"
        case 6: "zeroblob(\(random.number(0...2000)))"
        default: "'\(random.pick(["", "a", "A", "b", "é", "ﬀ", "🙂", "1", "1.5", "long " + String(repeating: "x", count: 700)]))'"
        }
    }

    /// Returns the changes between the two dictionaries that SQLite's results give.
    private static func changes(_ shape: Shape, _ old: LiveDatabase, _ new: LiveDatabase) throws -> [String] {
        func rows(_ database: LiveDatabase) throws -> [String: [String]] {
            let columns = (shape.key + shape.columns).map { "typeof(\($0)) || ':' || hex(CAST(\($0) AS BLOB))" }
            // Texts in two encodings are compared as UTF-8.
            let rows = try database.rows("SELECT \(columns.joined(separator: ",")) FROM t").map { $0 }
            let wide = try database.rows("PRAGMA encoding")[0][0]
            return Dictionary(
                rows.map { row in
                    let row = row.map { normal($0, wide) }
                    return (row.prefix(shape.key.count).joined(separator: ","), Array(row.dropFirst(shape.key.count)))
                }, uniquingKeysWith: { _, last in last })
        }
        let olds = try rows(old)
        let news = try rows(new)
        var lines: [String] = []
        for (key, row) in olds {
            guard let other = news[key] else {
                lines.append("deleted \(key)")
                continue
            }
            let changed = shape.columns.indices.filter { row[$0] != other[$0] }
            if changed.isEmpty { continue }
            lines.append("modified \(key)" + changed.map { " \(shape.columns[$0]) \(row[$0]) \(other[$0])" }.joined())
        }
        for key in news.keys where olds[key] == nil { lines.append("added \(key)") }
        return lines
    }

    /// Returns `text:` and the bytes in UTF-8 for a text in any encoding.
    private static func normal(_ value: String, _ encoding: String) -> String {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        // A number is cast to a blob through its text.
        guard encoding != "UTF-8", parts[0] != "blob", parts[0] != "null" else { return value }
        let bytes = stride(from: 0, to: parts[1].count, by: 2).compactMap { place in
            UInt8(parts[1].dropFirst(place).prefix(2), radix: 16)
        }
        let isLittle = encoding == "UTF-16le"
        let units = stride(from: 0, to: bytes.count, by: 2).map { (place: Int) -> UInt16 in
            let pair = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1
        }
        return "\(parts[0]):\(hexadecimal(String(decoding: units, as: UTF16.self).utf8).uppercased())"
    }

    private static func line(_ row: RowChange) -> String {
        let key = row.key.map { typed($0.value) }.joined(separator: ",")
        guard row.operation == .modified else { return "\(row.operation) \(key)" }
        return "modified \(key)"
            + row.columns.map { " \($0.name) \($0.old.map(typed) ?? "") \($0.new.map(typed) ?? "")" }.joined()
    }

    private static func typed(_ value: DisplayValue) -> String {
        switch value {
        case .value(.null): "null:"
        case .value(.integer(let number)): "integer:\(hexadecimal("\(number)".utf8).uppercased())"
        case .value(.real(let number)): "real:\(hexadecimal("\(number)".utf8).uppercased())"
        case .value(.string(let text)): "text:\(hexadecimal(text.utf8).uppercased())"
        case .value(.data(let bytes)): "blob:\(hexadecimal(bytes).uppercased())"
        // Only blobs of zeros are long.
        case .dataHead(_, let count, _): "blob:\(String(repeating: "00", count: Int(count)))"
        default: "?"
        }
    }
}
