/// The objects of a database's schema, without SQLite's internal ones.
struct DatabaseSchema {
    /// All objects that have SQL, in the schema's order, except the tables that FTS uses as storage and `sqlite_sequence`.
    let objects: [SchemaObject]
    /// The tables whose rows are compared: all real tables, including `sqlite_sequence`, but of the tables behind FTS only those
    /// that hold content.
    let tables: Set<SQLName>
    /// All real tables, including those behind virtual tables, but not SQLite's internal ones.
    let storedTables: Set<SQLName>
    /// True if SQLite records the last keys of tables with AUTOINCREMENT.
    let hasSequences: Bool
    private let shadows: ShadowTables

    /// True if the database is a keychain, whose blobs are secrets. One of a keychain's tables is enough.
    var isKeychain: Bool { tables.contains { Self.keychainTables.contains($0.folded) } }
    private static let keychainTables: Set<[UInt8]> = [Array("genp".utf8), Array("inet".utf8)]

    init(_ connection: Connection) throws(DatabaseError) {
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

    /// Returns the virtual table that uses a table as storage.
    func owner(of table: SQLName) -> SQLName? { shadows.owner(of: table) }

    /// The table in which SQLite records the last key of each table with AUTOINCREMENT.
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
struct SchemaObject: Hashable, Sendable {
    /// The kind of a schema object. The raw values appear in reports, and the cases are in the order of reports.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case table
        /// A table that is implemented by a module of SQLite or of an app. It is never queried.
        case virtualTable = "virtual table"
        case index
        case view
        case trigger
    }

    let kind: Kind
    let name: SQLName
    let sql: [UInt8]
    /// The module of a virtual table, in lower case.
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
            if names.contains(content) { indexNames.formUnion(indexes) }
        }
    }

    /// Returns true if a table holds only an index of another table's content.
    func isIndex(_ name: SQLName) -> Bool { indexNames.contains(name.folded) }

    /// Returns true if a table belongs to a full-text table.
    func isFullTextShadow(_ name: SQLName) -> Bool { fullTextNames.contains(name.folded) }

    /// Returns the virtual table that uses a table as storage.
    func owner(of name: SQLName) -> SQLName? { owners[name.folded] }
}

/// Normalizes and examines the SQL of a schema.
enum SchemaText {
    /// Returns the SQL with one space for each run of space and comments, and without spaces beside parentheses, commas and
    /// semicolons. Quoted text is unchanged. Two statements with the same normalized text create the same object.
    static func normalized(_ sql: [UInt8]) -> [UInt8] {
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
