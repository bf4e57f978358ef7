import CapsuleCore
import CapsulePropertyList

/// Converts values of rows to values in reports.
struct DisplayValueBuilder {
    let options: DatabaseDiffOptions
    /// True if the databases are keychains, whose blobs are all secrets.
    let isKeychain: Bool
    let external: ExternalLookup

    private static let hidden = DisplayValue.hidden("keychain")

    /// Returns the value of a column. A column that doesn't exist is NULL.
    func value(_ column: ComparedColumn, _ row: RowCursor, _ side: DatabaseSide) -> DisplayValue {
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

    /// Returns a text. A text that is not valid UTF-8 is shown as its bytes.
    private func text(_ bytes: UnsafeRawBufferPointer) -> DisplayValue {
        guard let limit = options.textBytes, bytes.count > limit else {
            return PlistString(validating: bytes).map { .value(.string($0)) } ?? .value(.data(Array(bytes)))
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<Self.characterEnd(bytes, limit)])
        return PlistString(validating: head).map { .textHead($0, count: UInt64(bytes.count)) }
            ?? .dataHead(Array(bytes.prefix(limit)), count: UInt64(bytes.count))
    }

    /// Returns the last position up to `limit` that is not inside a UTF-8 character.
    private static func characterEnd(_ bytes: UnsafeRawBufferPointer, _ limit: Int) -> Int {
        var end = max(0, limit)
        while end > 0, end > limit - 4, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private func blob(_ bytes: UnsafeRawBufferPointer, _ column: ComparedColumn, _ side: DatabaseSide) -> DisplayValue {
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

    /// Returns the approximate size of a value in bytes.
    static func cost(_ value: DisplayValue?) -> Int {
        switch value {
        case .value(.string(let text)): text.utf8.count
        case .value(.data(let bytes)), .dataHead(let bytes, _): bytes.count
        case .textHead(let text, _): text.utf8.count
        default: 16
        }
    }
}

/// The limits for the size of a report on two databases, and for the work on them.
package struct DatabaseDiffOptions: Hashable, Sendable {
    /// The maximum number of rows reported for one table; nil for all. The other rows are counted.
    package var rows: UInt64?
    /// The maximum number of bytes reported for a blob, or for a text in ``textBytes``; nil for all.
    package var dataBytes: Int?
    package var textBytes: Int?
    /// The approximate maximum number of bytes in the entire report. Further changes are counted.
    package var detailBytes: Int
    /// The maximum length, in bytes, of blobs and files that are searched for property lists.
    package var nestedBytes: Int
    /// The limits for each of the two databases.
    package var work: WorkLimits
    /// True if secrets are shown: the values of a keychain, and cookies.
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

/// Finds and compares property lists in blobs and texts that differ.
struct NestedPlistDiffer {
    let options: DatabaseDiffOptions
    let external: ExternalLookup
    /// The limits for the work. Parsing documents takes time that SQLite doesn't count.
    let budget: WorkBudget

    /// The result of searching both values for property lists.
    enum NestedResult {
        /// Neither value is a property list.
        case none
        /// The differences between the property lists, and true if these are all.
        case changes([PlistChange], isComplete: Bool, NestedGap?)
        /// A property list that was not compared.
        case gap(NestedGap)
    }

    /// A value that looks like a property list in an unambiguous encoding: binary or XML.
    private struct Document {
        /// All bytes of the value; nil if it is too long to be examined.
        let bytes: [UInt8]?
        /// True if the value begins as only a property list does.
        let isPlist: Bool
    }

    /// Compares the property lists in both values.
    ///
    /// - Parameter looksInside: true if differences may be shown. If false, the function only determines if there is something to
    ///   compare.
    func find(_ column: ComparedColumn, _ rows: RowOrder, looksInside: Bool) -> NestedResult {
        let old = document(column, rows.old, column.pair.old, rows.isOldWide, .old)
        let new = document(column, rows.new, column.pair.new, rows.isNewWide, .new)
        let isOpen = looksInside && budget.check()
        if isOpen, let before = old?.bytes, let after = new?.bytes,
            let diff = try? PlistDiff(.data(before), .data(after), limit: PlistDiff.changeLimit),
            // A single change of the entire data says no more than the column does.
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

    /// Returns the property list that a value may be, or nil if it is not one.
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

    /// Returns the property list that bytes may be.
    ///
    /// - Parameter size: the length of the value that begins with these bytes; nil if they are the entire value.
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
