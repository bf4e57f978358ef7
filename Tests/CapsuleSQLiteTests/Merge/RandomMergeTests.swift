import CapsuleCore
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite
import TestSupport
import Testing

/// The laws of a merge, for random tables with random edits on two sides.
@Suite("random merges")
struct RandomMergeTests {
    private struct Shape {
        let sql: String
        let key: [String]
        let columns: [String]
    }

    private static let shapes = [
        Shape(sql: "t(id INTEGER PRIMARY KEY, a, b TEXT, c REAL)", key: ["id"], columns: ["id", "a", "b", "c"]),
        Shape(sql: "t(a PRIMARY KEY NOT NULL, b, c)", key: ["a"], columns: ["a", "b", "c"]),
        Shape(sql: "t(x, y BLOB, z, w, PRIMARY KEY(z, x)) WITHOUT ROWID", key: ["z", "x"], columns: ["x", "y", "z", "w"]),
        Shape(sql: "t(k TEXT COLLATE NOCASE PRIMARY KEY, v, w) WITHOUT ROWID", key: ["k"], columns: ["k", "v", "w"]),
    ]

    /// Rows by key, each value as its type and bytes.
    private typealias Rows = [String: [String]]

    @Test(arguments: SeededGenerator.seeds)
    func laws(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<rounds(25) {
            let shape = random.pick(Self.shapes)
            let hint: Comment = "round \(round) of seed \(seed): \(shape.sql)"
            let directory = try TemporaryDirectory()
            let encoding = random.pick(["UTF-8", "UTF-8", "UTF-16le"])
            let start = "PRAGMA encoding='\(encoding)'; PRAGMA synchronous=OFF; PRAGMA page_size=1024; CREATE TABLE \(shape.sql);"
            let files = try ["base", "ours", "theirs"].map { try LiveDatabase(directory[$0], start) }
            for _ in 0..<random.number(0...40) {
                let insert = Self.insert(shape, &random)
                // Rows that the types of a table don't allow are inserted into none.
                for file in files { try? file.run(insert) }
            }
            for side in [files[1], files[2]] {
                if random.isLucky(oneIn: 3) { try side.run("PRAGMA journal_mode=WAL") }
                for _ in 0..<random.number(0...8) { try? side.run(Self.edit(shape, &random)) }
            }
            let (base, ours, theirs) = (files[0].path, files[1].path, files[2].path)
            let rows = try files.map { try Self.rows(shape, $0, encoding) }
            func content(_ merged: Merged) throws -> Rows {
                let place = directory["merged"]
                try Files.write(merged.bytes ?? [], to: place)
                return try Self.rows(shape, LiveDatabase(place), encoding)
            }
            for (other, expected) in [(ours, rows[1]), (theirs, rows[2])] {
                #expect(try content(merge(base, other, base)) == expected, hint)
                #expect(try content(merge(base, base, other)) == expected, hint)
                #expect(try content(merge(base, other, other)) == expected, hint)
            }
            let merged = try merge(base, ours, theirs)
            let swapped = try merge(base, theirs, ours)
            if merged.reason != nil {
                // Two keys that are the same in an order that ignores case.
                #expect(merged.lines == swapped.lines, hint)
                #expect(merged.lines == ["whole: UNIQUE constraint failed: t.k"], hint)
                continue
            }
            let found = try content(merged)
            // Theirs renamed a key to one that differs only in case, in a row that ours changed. Ours is then kept as it is.
            let isUnmerged = [merged, swapped].map { $0.notes.contains { $0.hasSuffix("UNIQUE constraint failed: t.k") } }
            if isUnmerged.contains(true) {
                #expect(!isUnmerged[0] || found == rows[1], hint)
                #expect(!merged.conflicts.isEmpty && merged.conflicts.count == swapped.conflicts.count, hint)
                continue
            }
            let expected = Self.expected(shape, rows)
            #expect(found == expected.rows, hint)
            #expect(merged.conflicts.count == expected.conflicts, hint)
            #expect(swapped.conflicts.map(Self.key) == merged.conflicts.map(Self.key), hint)
            #expect(swapped.conflicts.map(\.column) == merged.conflicts.map(\.column), hint)
            #expect(swapped.conflicts.map(\.ours) == merged.conflicts.map(\.theirs), hint)
            #expect(swapped.conflicts.map(\.base) == merged.conflicts.map(\.base), hint)
            // Open conflicts with swapped sides give the same result as preferring theirs.
            let preferring = try merge(
                base, ours, theirs, MergeDecisions(preferences: [MergePreference(.theirs, text: "theirs")]))
            #expect(try content(preferring) == content(swapped), hint)
            #expect(preferring.decisions.openCount == 0, hint)
            // Every value comes from one of the three databases.
            for (key, row) in found {
                for (place, value) in row.enumerated() {
                    #expect(rows.contains { $0[key]?[place] == value }, hint)
                }
            }
        }
    }

    /// Returns the key that a conflict names, as ours writes it: `3` and `3.0` are one key.
    private static func key(_ conflict: Conflict) -> PlistDictionary? {
        conflict.row.map { row in
            PlistDictionary(
                row.map { name, value in
                    if case .integer(let number) = value { return (name, .real(Double(number.description) ?? .nan)) }
                    return (name, value)
                })
        }
    }

    /// Merges dictionaries by the table of docs/merge.md, section 2, with ours in conflicts.
    private static func expected(_ shape: Shape, _ rows: [Rows]) -> (rows: Rows, conflicts: Int) {
        var merged: Rows = [:]
        var conflicts = 0
        for key in Set(rows.flatMap(\.keys)) {
            let (base, ours, theirs) = (rows[0][key], rows[1][key], rows[2][key])
            if ours == theirs || theirs == base {
                merged[key] = ours
            } else if ours == base {
                merged[key] = theirs
            } else if let ours, let theirs {
                merged[key] = shape.columns.indices.map { place in
                    let values = (base?[place], ours[place], theirs[place])
                    if values.1 == values.2 || values.2 == values.0 { return ours[place] }
                    if values.1 == values.0 { return theirs[place] }
                    conflicts += 1
                    return ours[place]
                }
            } else {
                conflicts += 1
                merged[key] = ours
            }
        }
        return (merged, conflicts)
    }

    /// Equal numbers are one key, whatever their types.
    private static func rows(_ shape: Shape, _ database: LiveDatabase, _ encoding: String) throws -> Rows {
        let keys = shape.key.map {
            "CASE typeof(\($0)) WHEN 'real' THEN 'n' WHEN 'integer' THEN 'n' ELSE typeof(\($0)) END || ':' || CASE typeof(\($0)) WHEN 'integer' THEN \($0) || '.0' WHEN 'real' THEN \($0) ELSE hex(\($0)) END"
        }
        let columns = shape.columns.map { "typeof(\($0)) || ':' || hex(CAST(\($0) AS BLOB))" }
        let rows = try database.rows("SELECT \((keys + columns).joined(separator: ",")) FROM t")
        return Dictionary(
            rows.map { ($0.prefix(shape.key.count).joined(separator: ","), Array($0.dropFirst(shape.key.count))) },
            uniquingKeysWith: { _, last in last })
    }

    private static func insert(_ shape: Shape, _ random: inout SeededGenerator) -> String {
        let values = shape.columns.map { shape.key.contains($0) ? key(&random) : value(&random) }
        return "INSERT OR IGNORE INTO t(\(shape.columns.joined(separator: ","))) VALUES (\(values.joined(separator: ",")))"
    }

    private static func edit(_ shape: Shape, _ random: inout SeededGenerator) -> String {
        let place = "(SELECT \(shape.key[0]) FROM t ORDER BY \(shape.key[0]) LIMIT 1 OFFSET \(random.number(0...12)))"
        switch random.number(0...5) {
        case 0: return insert(shape, &random)
        case 1: return "DELETE FROM t WHERE \(shape.key[0]) = \(place)"
        default:
            let column = random.pick(shape.columns)
            let new = shape.key.contains(column) ? key(&random) : value(&random)
            return "UPDATE OR IGNORE t SET \(column) = \(new) WHERE \(shape.key[0]) = \(place)"
        }
    }

    private static func key(_ random: inout SeededGenerator) -> String {
        random.pick([
            "\(random.number(0...9))", "\(random.number(0...9)).0", "\(random.number(0...3)).5", "'a'", "'A'", "'b'", "'é'",
            "x'61'", "x''",
        ])
    }

    private static func value(_ random: inout SeededGenerator) -> String {
        random.pick(["NULL", "1", "1.0", "'1'", "x'31'", "2", "-3.5", "''", "x''", "'é'", "zeroblob(3000)"])
    }
}
