/// A database as it was when it was copied: open for reading, without a name on disk.
///
/// Statements can't write, attach, load or call anything; no view, trigger or virtual table of its schema ever runs. One thread
/// at a time may use it.
package final class Database {
    let connection: Connection
    let encoding: TextEncoding
    let schema: DatabaseSchema

    /// Reads what every comparison needs.
    init(_ connection: Connection) throws(DatabaseError) {
        self.connection = connection
        connection.restrictToReading()
        encoding = try TextEncoding(connection)
        schema = try DatabaseSchema(connection)
    }

    /// How a database stores its texts.
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
