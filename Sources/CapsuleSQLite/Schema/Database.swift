package import CapsuleCore

/// A database in the state in which it was copied, open for reading, without a name on disk.
///
/// Statements can't write, attach databases or load extensions, and can call only a few functions. No view, trigger or virtual
/// table of the schema ever runs. Only one thread at a time may use the database.
package final class Database {
    let connection: Connection
    let encoding: TextEncoding
    let schema: DatabaseSchema

    /// Reads the encoding and the schema.
    init(_ connection: Connection) throws(DatabaseError) {
        self.connection = connection
        connection.restrictToReading()
        encoding = try TextEncoding(connection)
        schema = try DatabaseSchema(connection)
    }

    /// The encoding of the database's texts.
    enum TextEncoding: String {
        case utf8 = "UTF-8"
        case utf16le = "UTF-16le"
        case utf16be = "UTF-16be"

        init(_ connection: Connection) throws(DatabaseError) {
            let statement = try connection.prepare("PRAGMA encoding")
            guard try statement.step(), let name = statement.string(0),
                let encoding = TextEncoding(rawValue: String(decoding: name, as: UTF8.self))
            else { throw DatabaseError(.unsupported, "unknown text encoding") }
            self = encoding
        }

        var isWide: Bool { self != .utf8 }
    }
}

extension Database {
    /// The maximum number of tables whose columns are listed, because a schema can be very large.
    private static let tableLimit = 10_000

    /// Returns the tables with their columns, under the names that rules and expectations may use. Returns nil if there are too
    /// many.
    package func namedTables() throws(DatabaseError) -> [NamedTable]? {
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
struct CoreDataSchema: Hashable, Sendable {
    /// The maximum number of entities that are read; models have a few hundred.
    private static let entityLimit = 10_000

    private let entities: [Int64: String]
    private let entitiesByTable: [[UInt8]: String]

    /// Reads the entities. Returns nil for a database that is not a store, which has no tables `Z_PRIMARYKEY` and `Z_METADATA`.
    init?(_ database: Database) {
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

    /// The names of all entities.
    var names: [String] { entities.values.sorted() }

    /// Returns the entity with a number.
    func entity(_ number: Int64) -> String? { entities[number] }

    /// Returns the entity that a table is named after. The table may also hold its subentities.
    func entity(ofTable table: SQLName) -> String? { entitiesByTable[table.folded] }

    /// Returns the attribute or relationship that a column holds, or nil for Core Data's own columns, such as `Z_PK`.
    static func attribute(ofColumn column: SQLName) -> String? {
        let name = column.folded
        guard name.count > 1, name[0] == UInt8(ascii: "z"), (0x61...0x7A).contains(name[1]) || name[1] >= 0x80 else { return nil }
        return String(decoding: name.dropFirst(), as: UTF8.self)
    }
}
