/// What a database's schema has, without what SQLite makes by itself.
struct DatabaseSchema {
    /// All objects that have SQL, in the schema's order; FTS's own tables are not among them.
    let objects: [SchemaObject]
    /// Tables whose rows are compared: all real ones, and of the tables behind FTS those that hold content.
    let tables: Set<SQLName>
    /// All real tables, those behind virtual ones among them; not SQLite's own.
    let storedTables: Set<SQLName>
    /// Whether SQLite keeps the last keys of tables with AUTOINCREMENT.
    let hasSequences: Bool
    private let shadows: ShadowTables

    /// Whether it is a keychain's, whose blobs are secrets: one of its tables is enough.
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
        self.objects = objects.filter { [shadows] in !shadows.isOfFullText($0.name) && $0.name.folded != Self.sequence }
    }

    /// The virtual table whose data a table holds.
    func owner(of table: SQLName) -> SQLName? { shadows.owner(of: table) }

    /// Where SQLite keeps the last key of each table with AUTOINCREMENT.
    private static let sequence = Array("sqlite_sequence".utf8)

    /// nil for what SQLite keeps for itself but its sequences: statistics, indexes of constraints.
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
    /// What it is; raw values as reports have them, in the order in which they are told.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case table
        /// A table that a module of SQLite's or an app's makes up; it is never looked into.
        case virtualTable = "virtual table"
        case index
        case view
        case trigger
    }

    let kind: Kind
    let name: SQLName
    let sql: [UInt8]
    /// Of a virtual table, in lower case.
    let module: String?
}

/// The tables in which virtual tables keep their data (sqlite.org/fts3.html, fts5.html, rtree.html, geopoly.html).
///
/// Of a full-text table, `%_content` holds the texts as they were given and is compared. All else is an index made of them, and
/// how it is cut into blobs depends on the order of the writes. Without a `%_content` the index is all that there is, and is
/// compared as it is. The tables of other modules, R-trees among them, are compared as any table.
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

    /// Whether a table holds nothing but what is in another.
    func isIndex(_ name: SQLName) -> Bool { indexNames.contains(name.folded) }

    /// Whether a table belongs to a full-text table.
    func isOfFullText(_ name: SQLName) -> Bool { fullTextNames.contains(name.folded) }

    /// The virtual table whose data a table holds.
    func owner(of name: SQLName) -> SQLName? { owners[name.folded] }
}

/// The SQL of a schema, in one spelling of what stands between its words.
enum SchemaText {
    /// The SQL with one space for each run of space and comments, and none beside brackets, commas and semicolons. What is quoted
    /// stays as it is. Two texts that come to the same make the same object.
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

    /// The module that `CREATE VIRTUAL TABLE` names, in lower case; nil for all other SQL.
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

/// Runs of space and comments, and what stands between them: quoted text, words, single signs.
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
            // A quotation mark that is doubled ends one text and begins another: the same bytes either way.
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
