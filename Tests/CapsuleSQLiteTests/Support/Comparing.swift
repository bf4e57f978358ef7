import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleSQLite
import CapsuleSystem
import TestSupport

/// Copies a database and the logs beside it.
func copy(_ path: String, in directory: TemporaryDirectory? = nil) throws -> DatabaseCopy {
    var copy = try DatabaseCopy(in: directory.map { HostPath($0.path) })
    for (part, suffix) in [(DatabaseCopy.Part.database, ""), (.wal, "-wal"), (.journal, "-journal")]
    where Files.exists(path + suffix) {
        try copy.put(Files.read(path + suffix), part)
    }
    return copy
}

/// Copies a database and logs from bytes.
func copy(_ database: [UInt8], wal: [UInt8]? = nil, journal: [UInt8]? = nil) throws -> DatabaseCopy {
    var copy = try DatabaseCopy()
    try copy.put(database, .database)
    if let wal { try copy.put(wal, .wal) }
    if let journal { try copy.put(journal, .journal) }
    return copy
}

extension DatabaseCopy {
    mutating func put(_ bytes: [UInt8], _ part: Part) throws {
        let outcome: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
            do throws(CapsuleError) {
                return .success(try write(bytes, at: 0, to: part))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        try setLength(UInt64(bytes.count), of: part)
    }
}

/// Returns the difference between two databases that SQL makes.
func difference(
    _ old: String, _ new: String, options: DatabaseDiffOptions = DatabaseDiffOptions(),
    external: @escaping ExternalLookup = { _, _ in nil }
) throws -> FoundDifference {
    let changes = ChangeList()
    let found = try difference(old, new, options: options, external: external, sink: changes)
    return FoundDifference(changes, found)
}

/// A difference between two databases with the changes that it keeps.
struct FoundDifference {
    let details: [ChangeDetail]
    let damage: [DatabaseDiff.Damage]
    let isSame: Bool
    /// True if all changes are among the details.
    var isComplete: Bool { damage.isEmpty && details.allSatisfy(\.isChange) }

    init(_ changes: ChangeList, _ found: DatabaseDiff) {
        (details, damage, isSame) = (changes.details, found.damage, found.isSame)
    }

    init(_ old: Database, _ new: Database, options: DatabaseDiffOptions = DatabaseDiffOptions()) throws(CapsuleError) {
        let changes = ChangeList()
        let found = try DatabaseDiff(old, new, options: options, sink: changes)
        self.init(changes, found)
    }
}

/// Tells a sink the difference between two databases that SQL makes.
@discardableResult
func difference(
    _ old: String, _ new: String, options: DatabaseDiffOptions = DatabaseDiffOptions(),
    external: @escaping ExternalLookup = { _, _ in nil }, sink: any ChangeSink
) throws -> DatabaseDiff {
    let directory = try TemporaryDirectory()
    // The databases are closed, so that everything is in the files.
    _ = try LiveDatabase(directory["a"], old)
    _ = try LiveDatabase(directory["b"], new)
    return try DatabaseDiff(
        copy(directory["a"]).open(), copy(directory["b"]).open(), options: options, external: external, sink: sink)
}

/// Returns a difference in short lines: `+ t {id=1} a=2`, `~ t {id=1} a: 2 -> 3`, `- index i`.
func lines(_ difference: FoundDifference) -> [String] {
    difference.details.map(line) + difference.damage.map { "damaged \($0.side): \($0.message)" }
}

private func line(_ detail: ChangeDetail) -> String {
    switch detail.content {
    case .row(let row):
        let key = row.key.isEmpty ? "" : " {\(row.key.map { "\($0.column)=\(text($0.value))" }.joined(separator: ","))}"
        let entity = row.entity.map { " [\($0)]" } ?? ""
        return "\(sign(row.operation)) \(row.table)\(entity)\(key)\(row.columns.map(text).joined())"
    case .schema(let change):
        let sql = change.operation == .modified ? " \(change.old ?? "nil") -> \(change.new ?? "nil")" : ""
        return "\(sign(change.operation)) \(change.object) \(change.name)\(sql)"
    case .limit(let limit):
        let counts = [limit.shown.map { " shown \($0)" }, limit.total.map { " of \($0)" }].compactMap { $0 }.joined()
        return "limit \(limit.what)\(limit.table.map { " \($0)" } ?? "")\(counts)"
    case .encoding(let change): return "~ \(change.new)"
    default: return detail.word
    }
}

private func sign(_ operation: ChangeOperation) -> String {
    switch operation {
    case .added: "+"
    case .deleted: "-"
    case .modified: "~"
    }
}

private func text(_ column: RowChange.Column) -> String {
    let name = column.attribute.map { "\(column.name)/\($0)" } ?? column.name
    let nested = column.nested.isEmpty ? "" : " (\(column.nested.map { "\($0.name) \($0.pointer)" }.joined(separator: ", ")))"
    if let old = column.old, let new = column.new { return " \(name): \(text(old)) -> \(text(new))\(nested)" }
    return " \(name)=\((column.old ?? column.new).map(text) ?? "nothing")\(nested)"
}

func text(_ value: DisplayValue) -> String {
    switch value {
    case .value(.null): "NULL"
    case .value(.integer(let number)): "\(number)"
    case .value(.real(let number)): "r\(number)"
    case .value(.string(let text)): "'\(text.string)'"
    case .value(.date(let seconds)): "date \(seconds)"
    case .value(.data(let bytes)): "x'\(hexadecimal(bytes))'"
    case .value: "?"
    case .dataHead(let bytes, let count, _): "x'\(hexadecimal(bytes))'...\(count)"
    case .textHead(let text, let count, _): "'\(text.string)'...\(count)"
    case .external(let name, let size, let digest):
        "file \(name.prefix(4)) \(size.map { "\($0)" } ?? "?") \(digest == nil ? "missing" : "there")"
    case .hidden(let kind): "<\(kind)>"
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
