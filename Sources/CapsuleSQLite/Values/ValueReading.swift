import CapsuleCore
import CapsulePropertyList

/// Makes values of rows into values of reports.
struct ValueReading {
    let options: DifferenceOptions
    /// Whether the databases are keychains, whose blobs are all secrets.
    let isKeychain: Bool
    let external: ExternalLookup

    private static let hidden = ShownValue.hidden("keychain")

    /// The value of a column; nil is for no value, as in a row that is not there. A column that is not there is NULL.
    func value(_ column: ComparedColumn, _ row: RowCursor, _ side: DatabaseSide) -> ShownValue {
        let place = side == .old ? column.pair.old : column.pair.new
        guard place >= 0 else { return .value(.null) }
        let values = row.values
        switch values.type(place) {
        case .null: return .value(.null)
        case _ where column.isHidden && !options.showsSecrets: return Self.hidden
        case .integer:
            let number = values.integer(place)
            return .value(column.isDate ? .date(Double(number)) : .integer(PlistInteger(number)))
        case .real:
            let number = values[place].real
            return .value(column.isDate ? .date(number) : .real(number))
        case .text: return text(values[place].text)
        default: return blob(values[place].bytes(isWide: row.isWide), column, side)
        }
    }

    /// A text; one that is no UTF-8 is told as its bytes.
    private func text(_ bytes: UnsafeRawBufferPointer) -> ShownValue {
        guard let limit = options.textBytes, bytes.count > limit else {
            return PlistString(validating: bytes).map { .value(.string($0)) } ?? .value(.data(Array(bytes)))
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<Self.characterEnd(bytes, limit)])
        return PlistString(validating: head).map { .textHead($0, count: UInt64(bytes.count)) }
            ?? .dataHead(Array(bytes.prefix(limit)), count: UInt64(bytes.count))
    }

    /// The last place up to `limit` that no character of UTF-8 spans.
    private static func characterEnd(_ bytes: UnsafeRawBufferPointer, _ limit: Int) -> Int {
        var end = max(0, limit)
        while end > 0, end > limit - 4, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private func blob(_ bytes: UnsafeRawBufferPointer, _ column: ComparedColumn, _ side: DatabaseSide) -> ShownValue {
        if isKeychain, !options.showsSecrets { return Self.hidden }
        if column.pair.mayBeExternal, let name = ExternalReference.name(bytes) {
            let file = external(side, name)
            return .external(name: name, size: file?.size, digest: file?.digest)
        }
        let content = column.pair.mayBeExternal ? ExternalReference.content(bytes) ?? bytes : bytes
        if !options.showsSecrets, SecretData.isCookies(content) { return .hidden("cookie") }
        guard let limit = options.dataBytes, bytes.count > limit else { return .value(.data(Array(bytes))) }
        return .dataHead(Array(bytes.prefix(max(0, limit))), count: UInt64(bytes.count))
    }

    /// About how many bytes a value takes.
    static func cost(_ value: ShownValue?) -> Int {
        switch value {
        case .value(.string(let text)): text.utf8.count
        case .value(.data(let bytes)), .dataHead(let bytes, _): bytes.count
        case .textHead(let text, _): text.utf8.count
        default: 16
        }
    }
}

/// How much of a difference between two databases is told, and what may be spent on it.
package struct DifferenceOptions: Hashable, Sendable {
    /// Rows told of one table; nil for all. More are counted.
    package var rows: UInt64?
    /// Bytes told of one blob, and of one text; nil for all.
    package var dataBytes: Int?
    package var textBytes: Int?
    /// Bytes of all that is told, about; more is counted.
    package var detailBytes: Int
    /// Blobs, and content of files, up to this length are looked into for property lists.
    package var nestedBytes: Int
    /// What may be spent on each of the two.
    package var work: WorkLimits
    /// Whether secrets are told: the values of a keychain, and cookies.
    package var showsSecrets: Bool

    package init(
        rows: UInt64? = 1000, dataBytes: Int? = 1 << 10, textBytes: Int? = 4 << 10, detailBytes: Int = 64 << 20,
        nestedBytes: Int = 1 << 20, work: WorkLimits = WorkLimits(), showsSecrets: Bool = false
    ) {
        self.rows = rows
        self.dataBytes = dataBytes
        self.textBytes = textBytes
        self.detailBytes = detailBytes
        self.nestedBytes = nestedBytes
        self.work = work
        self.showsSecrets = showsSecrets
    }
}

/// Looks for property lists in blobs and texts that differ.
struct NestedComparison {
    let options: DifferenceOptions
    let external: ExternalLookup
    /// What may be spent: documents take time that SQLite knows nothing of.
    let budget: WorkBudget

    /// What came of looking for property lists in both values.
    enum Finding {
        /// There are none.
        case none
        /// What differs in them, and whether that is all.
        case changes([PlistChange], isComplete: Bool, NestedGap?)
        /// There is one, and it was not compared.
        case gap(NestedGap)
    }

    /// A value that seems to be a property list in an encoding that is not anything's.
    private struct Document {
        /// All of it; nil where it is too long to be looked into.
        let bytes: [UInt8]?
        /// Whether it begins as nothing but a property list does.
        let isPlist: Bool
    }

    /// Compares the property lists that both values are.
    ///
    /// - Parameter looksInside: whether what differs may be told; if not, only whether there is anything to compare is found.
    func find(_ column: ComparedColumn, _ rows: RowOrder, looksInside: Bool) -> Finding {
        let old = document(column, rows.old, column.pair.old, rows.isOldWide, .old)
        let new = document(column, rows.new, column.pair.new, rows.isNewWide, .new)
        let isOpen = looksInside && budget.check()
        if isOpen, let before = old?.bytes, let after = new?.bytes,
            let diff = try? PlistDiff(.data(before), .data(after), limit: PlistDiff.changeLimit),
            // One change of the data itself says no more than the column does.
            diff.changes.count != 1 || diff.changes[0].pointer != PlistPointer(steps: [])
        {
            return .changes(diff.changes, isComplete: diff.bounds.isEmpty, diff.unresolved.first?.gap)
        }
        switch (old?.isPlist ?? false, new?.isPlist ?? false) {
        case (false, false): return .none
        case (true, true) where isOpen && old?.bytes != nil && new?.bytes != nil: return .gap(.unreadable)
        case (true, true): return .gap(.notKept)
        default: return .gap(looksInside ? .oneSided : .notKept)
        }
    }

    /// What a value may be as a property list; nil if it is none.
    private func document(
        _ column: ComparedColumn, _ row: RowValues, _ place: Int32, _ isWide: Bool, _ side: DatabaseSide
    ) -> Document? {
        guard place >= 0 else { return nil }
        switch row.type(place) {
        case .text: return document(row[place].text)
        case .blob:
            let bytes = row[place].bytes(isWide: isWide)
            if column.pair.mayBeExternal {
                if let name = ExternalReference.name(bytes) {
                    guard let file = external(side, name) else { return nil }
                    return file.head().withUnsafeBytes { document($0, size: file.size) }
                }
                if let content = ExternalReference.content(bytes) { return document(content) }
            }
            return document(bytes)
        default: return nil
        }
    }

    /// - Parameter size: how long the value is that begins with the bytes; nil for one that they are all of.
    private func document(_ bytes: UnsafeRawBufferPointer, size: UInt64? = nil) -> Document? {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(ContentKind.headBytes))
        switch PlistFormat.sniff(head) {
        case .binary, .xml: break
        default: return nil
        }
        let isWhole = bytes.count <= options.nestedBytes && size.map { $0 == UInt64(bytes.count) } ?? true
        return Document(bytes: isWhole ? Array(bytes) : nil, isPlist: ContentKind.isEncodedPlist(Array(head)))
    }
}
