/// Compares values of two statements' rows: exactly, or in SQLite's order.
struct RowOrder {
    let old: RowValues
    let new: RowValues
    /// Whether texts of both can be compared as they are stored.
    private let areAlike: Bool
    let isOldWide: Bool
    let isNewWide: Bool

    init(_ old: RowCursor, _ new: RowCursor, areEncodingsAlike: Bool) {
        self.old = old.values
        self.new = new.values
        areAlike = areEncodingsAlike
        isOldWide = old.isWide
        isNewWide = new.isWide
    }

    /// Whether two values are the same: of the same type, to the bit.
    @inline(__always)
    func areEqual(_ column: ColumnPair) -> Bool {
        guard column.old >= 0 else { return new.type(column.new) == .null }
        guard column.new >= 0 else { return old.type(column.old) == .null }
        let type = old.type(column.old)
        guard type == new.type(column.new) else { return false }
        switch type {
        case .null: return true
        case .integer: return old.integer(column.old) == new.integer(column.new)
        case .real: return old.real(column.old).bitPattern == new.real(column.new).bitPattern
        case .text where !areAlike:
            return old.text(column.old).equals(new.text(column.new))
        default:
            // Blobs are the same in all encodings.
            let isWide = isOldWide && type == .text
            return old.bytes(column.old, isWide: isWide).equals(new.bytes(column.new, isWide: isWide))
        }
    }

    /// Below, at or above zero, in the order that statements of ``TablePlan`` have.
    func order(_ column: ColumnPair) -> Int32 {
        let oldType = column.old >= 0 ? old.type(column.old) : .null
        let newType = column.new >= 0 ? new.type(column.new) : .null
        if oldType.rank != newType.rank { return oldType.rank < newType.rank ? -1 : 1 }
        switch (oldType, newType) {
        case (.null, _): return 0
        case (.integer, .integer): return Self.order(old.integer(column.old), new.integer(column.new))
        case (.real, .real): return Self.order(old.real(column.old), new.real(column.new))
        case (.integer, _): return Self.order(old.integer(column.old), to: new.real(column.new))
        case (.real, _): return -Self.order(new.integer(column.new), to: old.real(column.old))
        case (.text, _) where !areAlike: return old.text(column.old).order(to: new.text(column.new))
        default:
            let isWide = isOldWide && oldType == .text
            return old.bytes(column.old, isWide: isWide).order(to: new.bytes(column.new, isWide: isWide))
        }
    }

    /// Integers before reals, where numbers are equal.
    func orderOfTypes(_ column: ColumnPair) -> Int32 {
        let oldType = column.old >= 0 ? old.type(column.old) : .null
        let newType = column.new >= 0 ? new.type(column.new) : .null
        return oldType == newType ? 0 : oldType == .integer ? -1 : newType == .integer ? 1 : 0
    }

    @inline(__always)
    static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int32 {
        left < right ? -1 : left > right ? 1 : 0
    }

    /// An integer and a real as the numbers that they are, without loss; SQLite has no NaN.
    static func order(_ integer: Int64, to real: Double) -> Int32 {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real.rounded(.towardZero))
        if integer != whole { return integer < whole ? -1 : 1 }
        return order(Double(whole), real)
    }
}
