package import CapsuleCore

/// The objects of a database's schema, without SQLite's internal ones.
package struct DatabaseSchema {
    /// All objects that have SQL, in the schema's order, except the tables that FTS uses as storage and `sqlite_sequence`.
    package let objects: [SchemaObject]
    /// The tables whose rows are compared: all real tables, including `sqlite_sequence`, but of the tables behind FTS only those
    /// that hold content.
    package let tables: Set<SQLName>
    /// All real tables, including those behind virtual tables, but not SQLite's internal ones.
    package let storedTables: Set<SQLName>
    /// True if SQLite records the last keys of tables with AUTOINCREMENT.
    package let hasSequences: Bool
    private let shadows: ShadowTables

    /// True if the database is a keychain, whose blobs are secrets. One of a keychain's tables is enough.
    package var isKeychain: Bool { tables.contains { Self.keychainTables.contains($0.folded) } }
    private static let keychainTables: Set<[UInt8]> = [Array("genp".utf8), Array("inet".utf8)]

    init(_ connection: Connection) throws(CapsuleError) {
        var objects: [SchemaObject] = []
        let statement = try connection.prepare("SELECT type, name, sql FROM sqlite_master")
        while try statement.step() {
            guard let type = statement.string(0), let name = statement.string(1), let sql = statement.string(2),
                let object = Self.object(type, SQLName(name), sql)
            else { continue }
            objects.append(object)
        }
        shadows = ShadowTables(of: objects)
        tables = Set(objects.filter { [shadows] in $0.kind == .table && !shadows.isIndex($0.name) }.map(\.name))
        let stored = Set(objects.filter { $0.kind == .table }.map(\.name))
        storedTables = stored.filter { $0.folded != Self.sequence }
        hasSequences = storedTables.count < stored.count
        self.objects = objects.filter { [shadows] in !shadows.isFullTextShadow($0.name) && $0.name.folded != Self.sequence }
    }

    package func owner(of table: SQLName) -> SQLName? { shadows.owner(of: table) }
    /// Returns true for a table of the index of a full-text table.
    package func isFullTextIndex(_ table: SQLName) -> Bool { shadows.isFullTextIndex(table) }
    /// Returns true for a table of an R-tree.
    package func isTree(_ table: SQLName) -> Bool { owner(of: table) != nil && !shadows.isFullTextShadow(table) }
    /// The virtual tables for full-text searches.
    package var fullTextTables: [SQLName] { objects.filter { $0.module?.hasPrefix("fts") ?? false }.map(\.name) }

    private static let sequence = Array("sqlite_sequence".utf8)

    /// Returns an object, or nil for SQLite's internal ones, such as statistics and indexes of constraints. `sqlite_sequence` is
    /// kept.
    private static func object(_ type: [UInt8], _ name: SQLName, _ sql: [UInt8]) -> SchemaObject? {
        guard !name.hasPrefix("sqlite_") || name.folded == sequence else { return nil }
        switch String(decoding: type, as: UTF8.self) {
        case "table":
            let module = SchemaText.virtualModule(sql)
            return SchemaObject(kind: module == nil ? .table : .virtualTable, name: name, sql: sql, module: module)
        case "index": return SchemaObject(kind: .index, name: name, sql: sql, module: nil)
        case "view": return SchemaObject(kind: .view, name: name, sql: sql, module: nil)
        case "trigger": return SchemaObject(kind: .trigger, name: name, sql: sql, module: nil)
        default: return nil
        }
    }
}

/// A table, index, view or trigger.
package struct SchemaObject: Hashable, Sendable {
    /// The kind of a schema object. The raw values appear in reports, and the cases are in the order of reports.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case table
        /// A table that is implemented by a module of SQLite or of an app. It is never queried.
        case virtualTable = "virtual table"
        case index, view, trigger
    }

    package let kind: Kind
    package let name: SQLName
    package let sql: [UInt8]
    let module: String?
}

/// The tables in which virtual tables store their data (sqlite.org/fts3.html, fts5.html, rtree.html, geopoly.html).
///
/// In a full-text table, `%_content` has the original texts and is compared. The other tables are an index of these texts, whose
/// division into blobs depends on the order of the writes. If there is no `%_content`, only the index exists, and it is compared as
/// it is. The tables of other modules, such as R-trees, are compared like any table.
private struct ShadowTables {
    private static let fullTextIndexes: [String: [String]] = [
        "fts3": ["segments", "segdir"], "fts4": ["segments", "segdir", "docsize", "stat"],
        "fts5": ["data", "idx", "docsize", "config"],
    ]

    private static let others: [String: [String]] = {
        let tree = ["node", "rowid", "parent"]
        return ["rtree": tree, "rtree_i32": tree, "geopoly": tree]
    }()

    private var indexNames: Set<[UInt8]> = []
    private var fullTextNames: Set<[UInt8]> = []
    private var fullTextContents: Set<[UInt8]> = []
    private var owners: [[UInt8]: SQLName] = [:]

    init(of objects: [SchemaObject]) {
        let names = Set(objects.map(\.name.folded))
        for object in objects {
            guard let module = object.module else { continue }
            let stem = object.name.folded + [UInt8(ascii: "_")]
            for suffix in Self.others[module] ?? [] { owners[stem + Array(suffix.utf8)] = object.name }
            guard let suffixes = Self.fullTextIndexes[module] else { continue }
            let indexes = suffixes.map { stem + Array($0.utf8) }
            let content = stem + Array("content".utf8)
            for name in indexes + [content] { owners[name] = object.name }
            fullTextNames.formUnion(indexes + [content])
            fullTextContents.insert(content)
            if names.contains(content) { indexNames.formUnion(indexes) }
        }
    }

    func isIndex(_ name: SQLName) -> Bool { indexNames.contains(name.folded) }
    func isFullTextShadow(_ name: SQLName) -> Bool { fullTextNames.contains(name.folded) }
    func isFullTextIndex(_ name: SQLName) -> Bool { isFullTextShadow(name) && !fullTextContents.contains(name.folded) }
    func owner(of name: SQLName) -> SQLName? { owners[name.folded] }
}

/// Normalizes and examines the SQL of a schema.
package enum SchemaText {
    /// Returns the SQL with one space for each run of space and comments, and without spaces beside parentheses, commas and
    /// semicolons. Quoted text is unchanged. Two statements with the same normalized text create the same object.
    package static func normalized(_ sql: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(sql.count)
        var hasGap = false
        for token in Tokens(sql) {
            switch token {
            case .gap: hasGap = true
            case .word(let word):
                if hasGap, let last = output.last, let first = word.first, !isTight(last), !isTight(first) { output.append(0x20) }
                hasGap = false
                output += word
            }
        }
        return output
    }

    /// Returns the module that `CREATE VIRTUAL TABLE` names, in lower case, or nil for all other SQL.
    static func virtualModule(_ sql: [UInt8]) -> String? {
        var words: [String] = []
        // CREATE VIRTUAL TABLE [IF NOT EXISTS] [schema.]name USING module
        for token in Tokens(sql) {
            guard case .word(let word) = token else { continue }
            let text = String(decoding: word.prefix(64), as: UTF8.self).lowercased()
            if words.last == "using" { return isQuoted(word) ? String(text.dropFirst().dropLast()) : text }
            switch words.count {
            case 0 where text != "create", 1 where text != "virtual", 2 where text != "table": return nil
            default: words.append(text)
            }
            if words.count > 12 { return "" }
        }
        return words.count >= 3 ? "" : nil
    }

    private static func isTight(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }

    private static func isQuoted(_ word: ArraySlice<UInt8>) -> Bool {
        word.first.map { closing(of: $0) != nil } ?? false
    }

    fileprivate static func closing(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): byte
        case UInt8(ascii: "["): UInt8(ascii: "]")
        default: nil
        }
    }
}

/// Splits SQL into gaps (runs of space and comments) and words (quoted text, identifiers and numbers, single symbols).
private struct Tokens: Sequence, IteratorProtocol {
    enum Token {
        case gap
        case word(ArraySlice<UInt8>)
    }

    private let sql: [UInt8]
    private var place = 0

    init(_ sql: [UInt8]) { self.sql = sql }

    mutating func next() -> Token? {
        guard place < sql.count else { return nil }
        let start = place
        let byte = sql[place]
        place += 1
        if Self.isSpace(byte) {
            while place < sql.count, Self.isSpace(sql[place]) { place += 1 }
            return .gap
        }
        if byte == UInt8(ascii: "-"), at(place) == byte {
            while place < sql.count, sql[place] != 0x0A { place += 1 }
            return .gap
        }
        if byte == UInt8(ascii: "/"), at(place) == UInt8(ascii: "*") {
            place += 1
            while place < sql.count, !(sql[place] == UInt8(ascii: "*") && at(place + 1) == UInt8(ascii: "/")) { place += 1 }
            place = Swift.min(place + 2, sql.count)
            return .gap
        }
        if let closing = SchemaText.closing(of: byte) {
            // A doubled quotation mark ends one token and begins another, with the same bytes in total.
            while place < sql.count, sql[place] != closing { place += 1 }
            place = Swift.min(place + 1, sql.count)
        } else if Self.isWord(byte) {
            while place < sql.count, Self.isWord(sql[place]) { place += 1 }
        }
        return .word(sql[start..<place])
    }

    private func at(_ place: Int) -> UInt8? { place < sql.count ? sql[place] : nil }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}

/// A database in the state in which it was copied, open for reading, without a name on disk.
///
/// Statements can't write, attach databases or load extensions, and can call only a few functions. No view, trigger or virtual
/// table of the schema ever runs. Only one thread at a time may use the database.
package final class Database {
    package let connection: Connection
    package let encoding: TextEncoding
    package let schema: DatabaseSchema

    init(_ connection: Connection) throws(CapsuleError) {
        self.connection = connection
        connection.restrictToReading()
        encoding = try TextEncoding(connection)
        schema = try DatabaseSchema(connection)
    }

    package enum TextEncoding: String {
        case utf8 = "UTF-8"
        case utf16le = "UTF-16le"
        case utf16be = "UTF-16be"

        init(_ connection: Connection) throws(CapsuleError) {
            let statement = try connection.prepare("PRAGMA encoding")
            guard try statement.step(), let name = statement.string(0),
                let encoding = TextEncoding(rawValue: String(decoding: name, as: UTF8.self))
            else { throw CapsuleError(.unsupported, "unknown text encoding") }
            self = encoding
        }

        package var isWide: Bool { self != .utf8 }
    }
}

extension Database {
    /// The maximum number of tables whose columns are listed, because a schema can be very large.
    private static let tableLimit = 10_000

    /// Returns the tables with their columns, under the names that rules and expectations may use. Returns nil if there are too
    /// many.
    package func namedTables() throws(CapsuleError) -> [NamedTable]? {
        guard schema.tables.count <= Self.tableLimit else { return nil }
        let model = CoreDataSchema(self)
        let entities = model?.names ?? []
        var tables: [NamedTable] = []
        for table in schema.tables.sorted() {
            let layout = try TableLayout(of: table, in: connection)
            let names = layout.columns.map(\.name)
            var columns = names.map(\.text)
            if model != nil { columns += names.compactMap { CoreDataSchema.attribute(ofColumn: $0) } }
            if layout.hasRowID { columns.append("rowid") }
            let hasEntities = names.contains { $0.folded == Array("z_ent".utf8) }
            tables.append(
                NamedTable(
                    names: [table.text] + [model?.entity(ofTable: table), schema.owner(of: table)?.text].compactMap { $0 },
                    rowEntities: hasEntities ? entities : [], columns: columns))
        }
        for object in schema.objects where object.kind == .virtualTable {
            tables.append(NamedTable(names: [object.name.text], rowEntities: [], columns: []))
        }
        return tables
    }
}

/// The entities and attributes of a Core Data store: entities by their numbers, attributes by the names of columns.
///
/// The model itself is not read. An attribute's name is the column's name without its `Z`, in lower case. A column doesn't record
/// the capitals that the model uses: `ZLASTOPENED` is `lastopened`.
package struct CoreDataSchema: Hashable, Sendable {
    /// The maximum number of entities that are read; models have a few hundred.
    private static let entityLimit = 10_000

    private let entities: [Int64: String]
    private let entitiesByTable: [[UInt8]: String]

    /// Reads the entities. Returns nil for a database that is not a store, which has no tables `Z_PRIMARYKEY` and `Z_METADATA`.
    package init?(_ database: Database) {
        let names = Set(database.schema.tables.map(\.folded))
        guard names.contains(Array("z_primarykey".utf8)), names.contains(Array("z_metadata".utf8)) else { return nil }
        var entities: [Int64: String] = [:]
        // A broken table of names must not prevent the comparison of the others.
        if let rows = try? database.connection.prepare("SELECT Z_ENT, Z_NAME FROM main.Z_PRIMARYKEY NOT INDEXED") {
            while entities.count < Self.entityLimit, (try? rows.step()) == true {
                guard rows.type(0) == .integer, let name = rows.string(1), name.count <= 255 else { continue }
                entities[rows.integer(0)] = String(decoding: name, as: UTF8.self)
            }
        }
        self.init(entities: entities)
    }

    init(entities: [Int64: String]) {
        self.entities = entities
        var tables: [[UInt8]: String] = [:]
        var ambiguous: Set<[UInt8]> = []
        for name in entities.values {
            let table = SQLName("Z" + name).folded
            if tables.updateValue(name, forKey: table) != nil { ambiguous.insert(table) }
        }
        for table in ambiguous { tables[table] = nil }
        entitiesByTable = tables
    }

    package var names: [String] { entities.values.sorted() }
    package func entity(_ number: Int64) -> String? { entities[number] }
    /// Returns the entity that a table is named after. The table may also hold its subentities.
    package func entity(ofTable table: SQLName) -> String? { entitiesByTable[table.folded] }

    /// Returns the attribute or relationship that a column holds, or nil for Core Data's own columns, such as `Z_PK`.
    package static func attribute(ofColumn column: SQLName) -> String? {
        let name = column.folded
        guard name.count > 1, name[0] == UInt8(ascii: "z"), (0x61...0x7A).contains(name[1]) || name[1] >= 0x80 else { return nil }
        return String(decoding: name.dropFirst(), as: UTF8.self)
    }
}

/// The columns and the key of a table.
package struct TableLayout {
    /// A column with a stored value in each row. Virtual generated columns, which are computed when they are read, are left out.
    package struct Column {
        package let name: SQLName
        /// The declared type, with ASCII letters in lower case.
        package let type: [UInt8]
        package let isNotNull: Bool
        /// The position in the primary key, from 1; 0 if the column is not part of it.
        package let keyPlace: Int64
        /// True if the value is computed when a row is stored, so that it can't be written.
        package let isGenerated: Bool
    }

    package let name: SQLName
    package let columns: [Column]
    package let hasRowID: Bool
    /// A name for the row ID; nil for a table without row IDs, and if columns have taken all its names.
    package let rowID: SQLName?
    /// True if the primary key is a single column that is an alias of the row ID.
    package let isKeyRowID: Bool

    package var key: [Column] { columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace } }

    /// Reads the layout from the schema. The table must not be virtual, which the text of the schema decides.
    package init(of table: SQLName, in connection: Connection) throws(CapsuleError) {
        name = table
        var columns: [Column] = []
        var names: Set<[UInt8]> = []
        let information = try connection.prepare(Array("PRAGMA main.table_xinfo(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try information.step() {
            let name = SQLName(information.string(1) ?? [])
            names.insert(name.folded)
            // The values of `hidden` are 1 for a hidden column of a virtual table, 2 for a virtual generated column, 3 for a stored
            // one.
            let hidden = information.integer(6)
            guard hidden != 1, hidden != 2 else { continue }
            columns.append(
                Column(
                    name: name, type: SQLName(information.string(2) ?? []).folded, isNotNull: information.integer(3) != 0,
                    keyPlace: information.integer(5), isGenerated: hidden == 3))
        }
        guard !columns.isEmpty else { throw CapsuleError(.damaged, "no such table") }
        self.columns = columns
        let key = columns.filter { $0.keyPlace > 0 }
        let isWithoutRowID = try Self.isWithoutRowID(table, in: connection)
        hasRowID = !isWithoutRowID
        // A primary key without an index of its own is the row ID.
        let hasKeyIndex = try Self.hasKeyIndex(table, in: connection)
        isKeyRowID = key.count == 1 && !isWithoutRowID && !hasKeyIndex
        rowID =
            isWithoutRowID
            ? nil
            : isKeyRowID ? key[0].name : ["rowid", "_rowid_", "oid"].map { SQLName($0) }.first { !names.contains($0.bytes) }
    }

    /// Returns true if rows have NULL in the primary key. SQLite allows it unless the key is the row ID, and the key then need not
    /// be unique.
    package func hasNullKeys(in connection: Connection) throws(CapsuleError) -> Bool {
        let columns = key.filter { !$0.isNotNull }
        guard !columns.isEmpty, !isKeyRowID, hasRowID else { return false }
        let tests = columns.map { $0.name.quoted + Array(" IS NULL".utf8) }.joined(separator: Array(" OR ".utf8))
        let sql: [UInt8] = Array("SELECT 1 FROM main.".utf8) + name.quoted + Array(" NOT INDEXED WHERE ".utf8) + tests
        return try connection.prepare(sql).step()
    }

    /// Returns true if a table has no row IDs. For a table, this pragma returns rows only in that case (sqlite.org/pragma.html).
    private static func isWithoutRowID(_ table: SQLName, in connection: Connection) throws(CapsuleError) -> Bool {
        try connection.prepare(Array("PRAGMA main.index_info(".utf8) + table.quoted + [UInt8(ascii: ")")]).step()
    }

    private static func hasKeyIndex(_ table: SQLName, in connection: Connection) throws(CapsuleError) -> Bool {
        let list = try connection.prepare(Array("PRAGMA main.index_list(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try list.step() {
            if list.string(3) == Array("pk".utf8) { return true }
        }
        return false
    }
}

/// A name in a schema, as SQLite's bytes. Names that differ only in Unicode normalization are different.
package struct SQLName: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The name for display. Invalid UTF-8 is replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The name that SQLite compares: ASCII letters are in lower case.
    package var folded: [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }

    package var quoted: [UInt8] {
        let mark = UInt8(ascii: "\"")
        return [mark] + bytes.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark]
    }

    func hasPrefix(_ text: String) -> Bool { folded.starts(with: text.utf8) }

    package static func < (left: SQLName, right: SQLName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
