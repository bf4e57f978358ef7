import CapsuleCore
import CapsuleHashing

/// Rows whose foreign keys name no row (`PRAGMA foreign_key_check`), each with the values that do.
///
/// A row that refers to something else that is not there, or has another key, is another breach; so is none that SQLite, which
/// tells only row IDs, has numbered anew.
struct ForeignKeyBreaks {
    private static let limit = 100_000

    private struct Break: Hashable {
        let key: ForeignKey.Place
        /// Of the values that the row is known by, and those that name no row: they may be of any length.
        let row: ContentDigest
    }

    private var parents: [ForeignKey.Place: SQLName] = [:]
    private var breaks: Set<Break> = []

    /// - Throws: `unsupported` where a key can't be checked, and for more than can be kept.
    init(_ connection: Connection) throws(DatabaseError) {
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
                throw DatabaseError(.unsupported, "the foreign keys of table \(place.table.text) use a different collation")
            }
        }
    }

    /// How many rows break each of the keys that any row breaks.
    private static func counts(_ connection: Connection) throws(DatabaseError) -> [ForeignKey.Place: Int] {
        let statement = try connection.prepare("PRAGMA foreign_key_check")
        var counts: [ForeignKey.Place: Int] = [:]
        var sum = 0
        while try statement.step() {
            sum += 1
            guard sum <= limit else { throw DatabaseError(.unsupported, "more than \(limit) foreign keys refer to missing rows") }
            counts[ForeignKey.Place(table: SQLName(statement.string(0) ?? []), number: statement.integer(3)), default: 0] += 1
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
            // Integers and reals have one rank.
            let rank = value.type == .real ? UInt64.max : UInt64(value.type.rank)
            withUnsafeBytes(of: (rank, number, UInt64(bytes.count))) { hasher.update($0) }
            hasher.update(bytes)
        }
        return hasher.finish()
    }

    /// One that neither of two others has, in words.
    func firstNew(besides ours: ForeignKeyBreaks, _ theirs: ForeignKeyBreaks) -> String? {
        let new = breaks.filter { !ours.breaks.contains($0) && !theirs.breaks.contains($0) }
        guard let first = new.map(\.key).min(), let parent = parents[first] else { return nil }
        return "a row of \(first.table.text) would refer to a missing row of \(parent.text)"
    }
}
