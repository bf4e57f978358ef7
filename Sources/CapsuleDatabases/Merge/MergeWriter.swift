package import CapsuleCore
package import CapsulePropertyList
package import CapsuleSQLite
import CapsuleSystem

/// The result of a merge in progress: a copy of ours, open for writing in one transaction.
///
/// Triggers don't run, because they already ran on each side, and their changes are merged like any others. The actions of foreign
/// keys don't run either.
final class MergeWriter {
    let connection: Connection
    private let directory: ScratchDirectory
    private let file: ScratchFile

    private static let pieceLength = 1 << 20
    private static let name = Array("database".utf8)

    /// Copies a database whose content is entirely in its file.
    init(_ ours: OpenCheckpointedDatabase, in directory: HostPath?, limits: WorkLimits) throws(CapsuleError) {
        let scratch = try ScratchDirectory(in: directory)
        let made = try scratch.createFile(Self.name)
        try Self.copy(ours, to: made)
        self.directory = scratch
        file = made
        connection = try Connection(scratch.path.appending(Self.name).bytes, budget: WorkBudget(limits), writesRows: true)
        try connection.makePrivate()
        // After a crash there is no result to keep.
        try connection.run("PRAGMA synchronous=OFF")
        try connection.run("BEGIN IMMEDIATE")
    }

    private static func copy(_ ours: OpenCheckpointedDatabase, to file: ScratchFile) throws(CapsuleError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < ours.length {
            try Interruption.check()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), ours.length - offset))])
            let count = try ours.file.read(at: offset, into: room)
            if count == 0 { break }
            try file.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset)
            offset += UInt64(count)
        }
        try file.setLength(ours.length)
    }

    /// Commits the transaction and checks the pages, indexes and constraints of the result. All statements must have been released.
    func commit() throws(MergeFailure) {
        try MergeFailure.writing { () throws(CapsuleError) in
            try connection.run("COMMIT")
            let statement = try connection.prepare("PRAGMA integrity_check(1)")
            guard try statement.step(), let finding = statement.string(0) else {
                throw CapsuleError(.damaged, "can't check the merged database")
            }
            let text = String(decoding: finding.prefix(500), as: UTF8.self)
            if text == "ok" { return }
            // The first line can be a heading with the database's name.
            let line = text.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "its pages contradict each other"
            throw CapsuleError(.damaged, "the merged database is damaged: \(line)")
        }
    }

    func finish() throws(CapsuleError) -> CheckpointedDatabase {
        try connection.checkpoint()
        directory.remove()
        let length = try file.length()
        return CheckpointedDatabase(file, length: length)
    }
}

/// Writes the changes of a merge to one table.
///
/// A changed row is deleted and inserted again, and all inserts come last. So two rows can exchange unique values, as they did on a
/// side. Until then, the rows are in a temporary table, whose columns have no affinity that would convert values.
final class TableWriter {
    private let connection: Connection
    private let plan: TableMergePlan
    private let spool: Statement
    private let deletion: Statement?
    /// Finds the row ID that a row has besides its key.
    private let search: Statement?

    init(_ plan: TableMergePlan, _ connection: Connection) throws(CapsuleError) {
        self.plan = plan
        self.connection = connection
        let names = plan.columns.indices.map { ",c\($0)" }.joined()
        try connection.run("CREATE TEMP TABLE capsule_rows(rid\(names))")
        let marks = String(repeating: ",?", count: plan.columns.count)
        spool = try connection.prepare("INSERT INTO temp.capsule_rows VALUES(?\(marks))")
        guard let condition = Self.condition(plan) else {
            (deletion, search) = (nil, nil)
            return
        }
        let place: [UInt8] = Array(" FROM main.".utf8) + plan.table.quoted + Array(" WHERE ".utf8) + condition
        deletion = try connection.prepare(Array("DELETE".utf8) + place)
        search = try plan.hiddenRowID.map { name throws(CapsuleError) in
            try connection.prepare(Array("SELECT ".utf8) + name.bytes + place)
        }
    }

    /// Returns the condition that finds a row by its key, or nil for a table without a key.
    private static func condition(_ plan: TableMergePlan) -> [UInt8]? {
        switch plan.key {
        case .rowID(let name): name.quoted + Array("=?".utf8)
        case .columns: Array(plan.keyColumns.map { $0.name.quoted + Array("=?".utf8) }.joined(separator: Array(" AND ".utf8)))
        case .none: nil
        }
    }

    /// - Returns: the row ID that the row had besides its key.
    @discardableResult
    func delete(_ row: RowCursor) throws(CapsuleError) -> Int64? {
        var rowID: Int64?
        if let search {
            defer { search.reset() }
            try bindKey(of: row, to: search)
            if try search.step() { rowID = search.integer(0) }
        }
        guard let deletion else { return nil }
        try bindKey(of: row, to: deletion)
        try deletion.execute()
        guard connection.changedRows == 1 else { throw CapsuleError(.damaged, "a row is not at the place its key gives") }
        return rowID
    }

    private func bindKey(of row: RowCursor, to statement: Statement) throws(CapsuleError) {
        if case .rowID = plan.key { return try statement.bind(row.rowID, at: 1) }
        for (place, column) in plan.keyColumns.enumerated() {
            try statement.bind(row.values[column.compared.pair.old], at: Int32(place + 1))
        }
    }

    func deleteAll() throws(CapsuleError) {
        try connection.prepare(Array("DELETE FROM main.".utf8) + plan.table.quoted).execute()
    }

    /// - Parameters:
    ///   - rowID: the row ID; nil for any free one.
    func insert(_ rowID: Int64?, _ values: [MergedValue]) throws(CapsuleError) {
        if let rowID { try spool.bind(rowID, at: 1) } else { try spool.bindNull(at: 1) }
        for (place, value) in values.enumerated() { try spool.bind(value, at: Int32(place + 2)) }
        try spool.execute()
    }

    /// Inserts the rows, those with row IDs first.
    ///
    /// `OR ABORT` in the statement overrides an `ON CONFLICT REPLACE` in the schema, which would delete rows of ours.
    func finish() throws(CapsuleError) {
        var rowIDName: [UInt8]?
        if case .rowID(let name) = plan.key { rowIDName = name.quoted } else { rowIDName = plan.hiddenRowID?.bytes }
        for (hasRowID, test) in [(true, "rid IS NOT NULL"), (false, "rid IS NULL")] {
            var names = plan.columns.map(\.name.quoted)
            var sources = plan.columns.indices.map { "c\($0)" }
            if hasRowID, let rowIDName {
                names.insert(rowIDName, at: 0)
                sources.insert("rid", at: 0)
            }
            // If a table has no columns besides its key, every row has a row ID.
            if names.isEmpty { continue }
            var sql: [UInt8] = Array("INSERT OR ABORT INTO main.".utf8) + plan.table.quoted + [UInt8(ascii: "(")]
            sql += names.joined(separator: [UInt8(ascii: ",")])
            sql += Array(") SELECT \(sources.joined(separator: ",")) FROM temp.capsule_rows WHERE \(test)".utf8)
            try connection.prepare(sql).execute()
        }
        try connection.run("DROP TABLE temp.capsule_rows")
    }
}

/// The source of a column's value in a merged row.
package enum MergedValue {
    /// A value in a side's row, valid until that side advances.
    case row(RowValue)
    /// A value that the user wrote to resolve a conflict.
    case written(WrittenValue)
}

/// A value that the user wrote to resolve a conflict, as a SQLite value.
package enum WrittenValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(PlistString)
    case blob([UInt8])

    /// Converts a value. Returns nil if no column can hold it.
    ///
    /// - Parameter isDate: true if numbers in the column are seconds since 2001.
    init?(_ value: PlistValue, isDate: Bool) {
        switch value {
        case .null: self = .null
        case .boolean(let boolean): self = .integer(boolean ? 1 : 0)
        case .integer(let integer):
            guard let number = integer.int64 else { return nil }
            self = .integer(number)
        case .real(let real):
            // SQLite has no NaN.
            guard !real.isNaN else { return nil }
            self = .real(real)
        case .date(let seconds):
            guard isDate, !seconds.isNaN else { return nil }
            self = .real(seconds)
        case .string(let text): self = .text(text)
        case .data(let bytes): self = .blob(bytes)
        case .uid, .array, .dictionary: return nil
        }
    }
}

extension Statement {
    package func bind(_ value: MergedValue, at place: Int32) throws(CapsuleError) {
        switch value {
        case .row(let value): try bind(value, at: place)
        case .written(.null): try bindNull(at: place)
        case .written(.integer(let number)): try bind(number, at: place)
        case .written(.real(let number)): try bind(number, at: place)
        case .written(.text(let text)):
            let outcome: Result<Void, CapsuleError> = text.withUTF8 { bytes in
                Result { () throws(CapsuleError) in try bind(text: UnsafeRawBufferPointer(bytes), at: place) }
            }
            try outcome.get()
        case .written(.blob(let bytes)):
            try bytes.withRawBytes { (bytes) throws(CapsuleError) in try bind(blob: bytes, at: place) }
        }
    }
}
