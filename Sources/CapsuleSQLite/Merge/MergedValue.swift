import CapsulePropertyList

/// Where the value of a column of a merged row comes from.
enum MergedValue {
    /// A side's row, as it is there: valid until that side goes on.
    case row(RowValue)
    /// What somebody wrote for a conflict.
    case written(WrittenValue)
}

/// A value that somebody wrote for a conflict, as SQLite has it.
enum WrittenValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(PlistString)
    case blob([UInt8])

    /// nil for what no column can hold.
    ///
    /// - Parameter isDate: whether numbers in the column are seconds since 2001.
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
    func bind(_ value: MergedValue, at place: Int32) throws(DatabaseError) {
        switch value {
        case .row(let value): try bind(value, at: place)
        case .written(.null): try bindNull(at: place)
        case .written(.integer(let number)): try bind(number, at: place)
        case .written(.real(let number)): try bind(number, at: place)
        case .written(.text(let text)):
            let outcome: Result<Void, DatabaseError> = text.withUTF8 { bytes in
                Result { () throws(DatabaseError) in try bind(text: UnsafeRawBufferPointer(bytes), at: place) }
            }
            try outcome.get()
        case .written(.blob(let bytes)):
            let outcome: Result<Void, DatabaseError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(DatabaseError) in try bind(blob: bytes, at: place) }
            }
            try outcome.get()
        }
    }
}
