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
