import CSQLite
package import CapsuleCore
import CapsuleSystem

/// A connection to one private copy of a database.
///
/// The connection is closed when the object is released. No other thread and no other process uses the file, so SQLite needs
/// neither mutexes nor a file of shared memory.
package final class Connection {
    private let handle: OpaquePointer
    package let budget: WorkBudget

    /// - Parameters:
    ///   - writesRows: true if rows will be inserted. Unknown collations, which only the app defines, are then errors,
    ///   because rows must not be inserted in the wrong order. A statement may then have as many parameters as a table has columns.
    ///   - rebuildsIndexes: true if full-text indexes will be rebuilt, by SQLite's own modules.
    package init(
        _ path: [UInt8], budget: WorkBudget, writesRows: Bool = false, rebuildsIndexes: Bool = false
    ) throws(CapsuleError) {
        _ = HeapLimit.isSet
        self.budget = budget
        handle = try Self.open(path)
        configure(writesRows: writesRows, rebuildsIndexes)
    }

    /// The name and the version of the library.
    package static var library: String { "SQLite \(String(cString: sqlite3_libversion()))" }

    deinit {
        // Statements that still exist keep the connection open until they are finalized.
        sqlite3_close_v2(handle)
    }

    private static func open(_ path: [UInt8]) throws(CapsuleError) -> OpaquePointer {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let status = (path + [0]).withUnsafeBytes { bytes in
            sqlite3_open_v2(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), &opened, flags, nil)
        }
        guard let opened, status == SQLITE_OK else {
            let error = CapsuleError(status: status, opened)
            sqlite3_close_v2(opened)
            throw error
        }
        return opened
    }

    /// Applies all settings that must precede the first read of a page (sqlite.org/security.html).
    private func configure(writesRows: Bool, _ rebuildsIndexes: Bool) {
        sqlite3_extended_result_codes(handle, 1)
        // Generated columns and indexes of apps use JSON functions, which are not marked as innocuous in SQLite 3.40. All others that are not are
        // marked as direct only, as ours are, so that a schema can't use them although it is trusted.
        let switches: [(option: Int32, value: Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1), (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
        ]
        for (option, value) in switches { _ = capsule_sqlite_configure(handle, option, value) }
        let limits: [(category: Int32, value: Int32)] = [
            (SQLITE_LIMIT_LENGTH, Self.valueLimit), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20), (SQLITE_LIMIT_EXPR_DEPTH, 500),
            (SQLITE_LIMIT_VDBE_OP, 250_000), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
            (SQLITE_LIMIT_VARIABLE_NUMBER, writesRows ? 32_766 : 10), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (category, value) in limits { sqlite3_limit(handle, category, value) }
        // Without their modules, no statement can instantiate a virtual table, whatever the schema says.
        if rebuildsIndexes { capsule_sqlite_keep_full_text(handle) } else { sqlite3_drop_modules(handle, nil) }
        sqlite3_progress_handler(
            handle, WorkBudget.stride,
            { context in
                guard let context else { return 1 }
                return Unmanaged<WorkBudget>.fromOpaque(context).takeUnretainedValue().spend() ? 0 : 1
            }, Unmanaged.passUnretained(budget).toOpaque())
        if !writesRows { AppCollations.register(with: handle) }
        TextBytesFunction.register(with: handle)
    }

    /// Lets the connection copy its content to another file, and rebuild full-text indexes. Anything else that a schema says is still
    /// not run.
    func prepareForRewriting() throws(CapsuleError) {
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        // The texts of full-text tables are in tables that are read-only otherwise.
        _ = capsule_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        try run("PRAGMA secure_delete=ON")
        try run("PRAGMA synchronous=OFF")
        try run("PRAGMA ignore_check_constraints=OFF")
    }

    func restrictToReading() {
        sqlite3_set_authorizer(
            handle,
            { _, action, first, second, _, _ in StatementRules.allows(action, first, second) ? SQLITE_OK : SQLITE_DENY }, nil)
    }

    static let valueLimit: Int32 = 256 << 20

    package func prepare(_ sql: [UInt8]) throws(CapsuleError) -> Statement {
        var prepared: OpaquePointer?
        let status = sql.withUnsafeBytes { bytes in
            sqlite3_prepare_v2(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: bytes.count), &prepared,
                nil)
        }
        guard status == SQLITE_OK, let prepared else {
            // Only a statement of nothing but space prepares to nothing, and Capsule has none.
            throw error(status)
        }
        return Statement(adopting: prepared, of: self)
    }

    package func prepare(_ sql: String) throws(CapsuleError) -> Statement { try prepare(Array(sql.utf8)) }

    package func run(_ sql: String) throws(CapsuleError) {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    package func integer(_ sql: String) throws(CapsuleError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    package var changedRows: Int32 { sqlite3_changes(handle) }

    /// Returns the error for a result code, or the reason why the budget ended the work.
    package func error(_ status: Int32) -> CapsuleError {
        if status & 0xFF == SQLITE_INTERRUPT, let end = budget.end { return end }
        return CapsuleError(status: status, handle)
    }
}

/// Limits SQLite's total memory: past the soft limit, SQLite releases cached pages; past the hard limit, allocations fail.
private enum HeapLimit {
    static let isSet: Bool = {
        sqlite3_soft_heap_limit64(256 << 20)
        sqlite3_hard_heap_limit64(2 << 30)
        return true
    }()
}

/// The time and the work that may be spent on one database.
package struct WorkLimits: Hashable, Sendable {
    /// The elapsed time on the clock; nil for no limit.
    package var time: Duration?
    /// The number of steps of SQLite's virtual machine; nil for no limit.
    package var steps: UInt64?

    package init(time: Duration? = .seconds(60), steps: UInt64? = nil) {
        self.time = time
        self.steps = steps
    }
}

/// The unspent part of ``WorkLimits``. SQLite checks it every ``stride`` steps.
package final class WorkBudget {
    static let stride: Int32 = 4096

    private var steps: UInt64 = 0
    private var stepLimit: UInt64?
    private var deadline: ContinuousClock.Instant?
    /// The reason why the work was ended; nil while it may continue.
    private(set) var end: CapsuleError?

    package init(_ limits: WorkLimits) {
        start(limits)
    }

    package func start(_ limits: WorkLimits) {
        steps = 0
        stepLimit = limits.steps
        deadline = limits.time.map { ContinuousClock.now + $0 }
        if end?.code == .time { end = nil }
    }

    func spend() -> Bool {
        steps += UInt64(Self.stride)
        return check()
    }

    package func demand() throws(CapsuleError) {
        if !check(), let end { throw end }
    }

    package func check() -> Bool {
        if end != nil { return false }
        if Interruption.noted != nil {
            end = CapsuleError(.interrupted, "interrupted")
        } else if let stepLimit, steps > stepLimit {
            end = CapsuleError(.time, "exceeded the work limit")
        } else if let deadline, ContinuousClock.now >= deadline {
            end = CapsuleError(.time, "exceeded the time limit")
        }
        return end == nil
    }
}

/// The actions allowed to a reading statement: reading tables, querying pragmas and calling the functions that Capsule's own
/// statements use.
private enum StatementRules {
    private static let pragmas: Set<String> = [
        "application_id", "cache_size", "encoding", "foreign_key_check", "foreign_key_list", "index_info", "index_list",
        "table_xinfo", "user_version",
    ]
    private static let functions: Set<String> = ["count", "length", "typeof", TextBytesFunction.name]

    /// Returns true if an action is allowed. The parameters are those of an authorizer callback (`sqlite3_set_authorizer()`).
    ///
    /// - Parameters:
    ///   - action: the action's code.
    ///   - first: the name of the pragma, for `SQLITE_PRAGMA`.
    ///   - second: the name of the function, for `SQLITE_FUNCTION`.
    static func allows(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_TRANSACTION: true
        case SQLITE_PRAGMA: first.map { pragmas.contains(String(cString: $0)) } ?? false
        case SQLITE_FUNCTION: second.map { functions.contains(String(cString: $0)) } ?? false
        default: false
        }
    }
}

/// Substitutes for collations that only the app defines.
///
/// A table whose key uses such a collation can't be opened without it. Capsule never looks up rows by it, so any collation works.
private enum AppCollations {
    static func register(with handle: OpaquePointer) {
        sqlite3_collation_needed(handle, nil) { _, handle, _, name in
            _ = sqlite3_create_collation_v2(
                handle, name, SQLITE_UTF8, nil,
                { _, leftCount, left, rightCount, right in
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                        .order(to: UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
                }, nil)
        }
    }
}

/// The SQL function `capsule_utf8(X)`, which returns the UTF-8 bytes of a text, and any other value unchanged.
///
/// It gives rows of two databases with different encodings the same order.
package enum TextBytesFunction {
    package static let name = "capsule_utf8"

    static func register(with handle: OpaquePointer) {
        sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, values in
                guard let value = values?.pointee else { return }
                guard sqlite3_value_type(value) == SQLITE_TEXT else {
                    sqlite3_result_value(context, value)
                    return
                }
                guard let text = sqlite3_value_text(value) else {
                    sqlite3_result_error_nomem(context)
                    return
                }
                let count = sqlite3_value_bytes(value)
                capsule_sqlite_result_copy(context, text, sqlite3_uint64(count))
            }, nil, nil, nil)
    }
}

extension Connection {
    /// The value that replaces another one.
    package enum ReplacedValue {
        case text([UInt8])
        case blob([UInt8])
        case integer(Int64)
    }

    /// Defines an SQL function of a value and a number, for as long as the connection is open. It returns NULL where `body` returns nil.
    package func define(_ name: String, _ body: @escaping (RowValue, Int) -> ReplacedValue?) {
        let function = Unmanaged.passRetained(ReplacingFunction(body: body))
        sqlite3_create_function_v2(
            handle, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, function.toOpaque(),
            { context, _, values in
                guard let values, let data = sqlite3_user_data(context) else { return }
                let function = Unmanaged<ReplacingFunction>.fromOpaque(data).takeUnretainedValue()
                switch function.body(RowValue(handle: values[0]), Int(sqlite3_value_int64(values[1]))) {
                case .text(let text):
                    text.withUnsafeBytes { capsule_sqlite_result_text(context, $0.baseAddress, sqlite3_uint64($0.count)) }
                case .blob(let bytes):
                    bytes.withUnsafeBytes { capsule_sqlite_result_copy(context, $0.baseAddress, sqlite3_uint64($0.count)) }
                case .integer(let number): sqlite3_result_int64(context, number)
                case nil: sqlite3_result_null(context)
                }
            }, nil, nil,
            { data in
                if let data { Unmanaged<ReplacingFunction>.fromOpaque(data).release() }
            })
    }
}

private final class ReplacingFunction {
    let body: (RowValue, Int) -> Connection.ReplacedValue?

    init(body: @escaping (RowValue, Int) -> Connection.ReplacedValue?) { self.body = body }
}

/// A prepared statement, positioned at a row between two steps.
package final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection

    init(adopting handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    package func step() throws(CapsuleError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw connection.error(status)
        }
    }

    package func execute() throws(CapsuleError) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Resets the statement so that it can run again. Bound values are kept.
    package func reset() {
        sqlite3_reset(handle)
    }

    /// Binds the value of another statement's row to a parameter, with the same type and the same bits. Parameters are counted from
    /// 1.
    package func bind(_ value: RowValue, at place: Int32) throws(CapsuleError) {
        try check(sqlite3_bind_value(handle, place, value.handle))
    }

    package func bind(_ integer: Int64, at place: Int32) throws(CapsuleError) {
        try check(sqlite3_bind_int64(handle, place, integer))
    }

    package func bind(_ real: Double, at place: Int32) throws(CapsuleError) {
        try check(sqlite3_bind_double(handle, place, real))
    }

    package func bindNull(at place: Int32) throws(CapsuleError) {
        try check(sqlite3_bind_null(handle, place))
    }

    package func bind(text: UnsafeRawBufferPointer, at place: Int32) throws(CapsuleError) {
        try check(capsule_sqlite_bind_text(handle, place, text.baseAddress, sqlite3_uint64(text.count)))
    }

    package func bind(blob: UnsafeRawBufferPointer, at place: Int32) throws(CapsuleError) {
        try check(capsule_sqlite_bind_blob(handle, place, blob.baseAddress, sqlite3_uint64(blob.count)))
    }

    private func check(_ status: Int32) throws(CapsuleError) {
        if status != SQLITE_OK { throw connection.error(status) }
    }

    /// The values of the current row. They must not be used after the statement is released.
    package var values: RowValues { RowValues(handle: handle) }
    package func type(_ column: Int32) -> ValueType { values.type(column) }
    package func integer(_ column: Int32) -> Int64 { values.integer(column) }
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    package func columnName(_ column: Int32) -> [UInt8] {
        sqlite3_column_name(handle, column).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
    }

    package func string(_ column: Int32) -> [UInt8]? {
        type(column) == .text ? Array(values[column].text) : nil
    }
}

/// The values of a statement's current row. The type is a bare pointer, so comparing rows costs no reference counting.
package struct RowValues {
    private let handle: OpaquePointer

    init(handle: OpaquePointer) {
        self.handle = handle
    }

    /// The value of a column, valid until the next step.
    @inline(__always)
    package subscript(column: Int32) -> RowValue { RowValue(handle: sqlite3_column_value(handle, column)) }

    @inline(__always)
    package func type(_ column: Int32) -> ValueType { self[column].type }

    @inline(__always)
    package func integer(_ column: Int32) -> Int64 { self[column].integer }
}

/// One value of a row.
///
/// SQLite calls such values unprotected, which matters only if several threads use one connection (sqlite.org/c3ref/value.html).
/// Reading from the value instead of the statement makes a comparison a third faster.
package struct RowValue {
    let handle: OpaquePointer?

    @inline(__always)
    init(handle: OpaquePointer?) {
        self.handle = handle
    }

    @inline(__always)
    package var type: ValueType { ValueType(sqlite3_value_type(handle)) }

    @inline(__always)
    package var integer: Int64 { sqlite3_value_int64(handle) }

    @inline(__always)
    package var real: Double { sqlite3_value_double(handle) }

    /// Returns the bytes of a blob, or of a text in the database's own encoding. They are valid until the value is read in another
    /// form.
    @inline(__always)
    package func bytes(isWide: Bool) -> UnsafeRawBufferPointer {
        // Reading a text as a blob doesn't convert it. Neither does reading its length in the text's own width.
        let start = sqlite3_value_blob(handle)
        let count = isWide ? sqlite3_value_bytes16(handle) : sqlite3_value_bytes(handle)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }

    /// A text as UTF-8. In a UTF-16 database, reading it converts the stored value permanently.
    @inline(__always)
    package var text: UnsafeRawBufferPointer {
        let start = UnsafeRawPointer(sqlite3_value_text(handle))
        let count = sqlite3_value_bytes(handle)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}

/// The storage class of a value (sqlite.org/datatype3.html). The ranks follow SQLite's order of values; integers and reals share
/// one rank, because they are ordered as numbers.
package enum ValueType: Hashable {
    // Cases, not constants of a struct: a switch in another module then compares numbers instead of calling `==` for each row.
    case integer, real, text, blob, null

    @inline(__always)
    init(_ value: Int32) {
        switch value {
        case SQLITE_INTEGER: self = .integer
        case SQLITE_FLOAT: self = .real
        case SQLITE_TEXT: self = .text
        case SQLITE_BLOB: self = .blob
        default: self = .null
        }
    }

    /// The rank in SQLite's order: NULL, then numbers, then texts, then blobs.
    package var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a number below, at or above zero if these bytes sort before, equal to or after `other`: by `memcmp`, then by length.
    package func order(to other: UnsafeRawBufferPointer) -> Int32 {
        let shared = Swift.min(count, other.count)
        if shared > 0, let left = baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return order }
        }
        return count < other.count ? -1 : count > other.count ? 1 : 0
    }

    @inline(__always)
    package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
