package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
package import CapsuleSQLite

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
        case _ where column.isHidden && options.hidesSecrets: return Self.hidden
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

    private func text(_ bytes: UnsafeRawBufferPointer) -> DisplayValue {
        guard let limit = options.textBytes, bytes.count > limit else {
            return PlistString(validating: bytes).map { .value(.string($0)) } ?? .value(.data(Array(bytes)))
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<Self.characterEnd(bytes, limit)])
        return PlistString(validating: head).map { .textHead($0, count: UInt64(bytes.count), digest: digest(of: bytes)) }
            ?? .dataHead(Array(bytes.prefix(limit)), count: UInt64(bytes.count), digest: digest(of: bytes))
    }

    private func digest(of bytes: UnsafeRawBufferPointer) -> ContentDigest? {
        guard options.digestsValues else { return nil }
        var hasher = SHA256Hasher()
        return hasher.digest(of: bytes)
    }

    /// Returns the last position up to `limit` that is not inside a UTF-8 character.
    private static func characterEnd(_ bytes: UnsafeRawBufferPointer, _ limit: Int) -> Int {
        var end = max(0, limit)
        while end > 0, end > limit - 4, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private func blob(_ bytes: UnsafeRawBufferPointer, _ column: ComparedColumn, _ side: DatabaseSide) -> DisplayValue {
        if isKeychain, options.hidesSecrets { return Self.hidden }
        if column.pair.mayBeExternal, let name = ExternalReference.name(bytes) {
            let file = external(side, name)
            return .external(name: name, size: file?.size, digest: file?.digest)
        }
        let content = column.pair.mayBeExternal ? ExternalReference.content(bytes) ?? bytes : bytes
        if options.hidesSecrets, SecretData.isCookies(content) { return .hidden("cookie") }
        guard let limit = options.dataBytes, bytes.count > limit else { return .value(.data(Array(bytes))) }
        if bytes.count <= options.pictureBytes, ImageHeader(Array(content.prefix(limit))) != nil {
            return .value(.data(Array(bytes)))
        }
        return .dataHead(Array(bytes.prefix(max(0, limit))), count: UInt64(bytes.count), digest: digest(of: bytes))
    }

    static func cost(_ value: DisplayValue?) -> Int {
        switch value {
        case .value(.string(let text)): text.utf8.count
        case .value(.data(let bytes)), .dataHead(let bytes, _, _): bytes.count
        case .textHead(let text, _, _): text.utf8.count
        default: 16
        }
    }
}

/// The limits for the size of a report on two databases, and for the work on them.
package struct DatabaseDiffOptions: Hashable, Sendable {
    /// The only tables to compare, with their schemas; nil for all tables, the whole schema and the pragmas.
    package var tables: Set<SQLName>?
    /// The maximum number of rows reported for one table; nil for all. The other rows are counted.
    package var rows: UInt64?
    /// The maximum number of bytes reported for a blob, or for a text in ``textBytes``; nil for all.
    package var dataBytes: Int?
    package var textBytes: Int?
    /// True if values that are not reported whole have their digests.
    package var digestsValues = false
    /// The maximum number of bytes of an image that is reported whole, even if it is longer than other blobs.
    package var pictureBytes = 0
    /// The approximate maximum number of bytes in the entire report. Further changes are counted.
    package var detailBytes: Int
    package var nestedBytes: Int
    package var work: WorkLimits
    /// True if secrets are replaced: the values of a keychain, and cookies. A comparison keeps them, since they are judged, too.
    package var hidesSecrets: Bool

    package init(
        rows: UInt64? = 1000, dataBytes: Int? = 1 << 10, textBytes: Int? = 4 << 10, detailBytes: Int = 64 << 20,
        nestedBytes: Int = 1 << 20, work: WorkLimits = WorkLimits(), hidesSecrets: Bool = false
    ) {
        self.rows = rows
        self.dataBytes = dataBytes
        self.textBytes = textBytes
        self.detailBytes = detailBytes
        self.nestedBytes = nestedBytes
        self.work = work
        self.hidesSecrets = hidesSecrets
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
        case none
        /// The differences between the property lists, and true if these are all.
        case changes([PlistChange], isComplete: Bool, NestedGap?)
        case gap(NestedGap)
    }

    /// A value that looks like a property list in an unambiguous encoding: binary or XML.
    private struct Document {
        /// All bytes of the value; nil if it is too long to be examined.
        let bytes: [UInt8]?
        let isPlist: Bool
    }

    func find(_ column: ComparedColumn, _ rows: RowOrder) -> NestedResult {
        let old = document(column, rows.old, column.pair.old, rows.isOldWide, .old)
        let new = document(column, rows.new, column.pair.new, rows.isNewWide, .new)
        let isOpen = budget.check()
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
        default: return .gap(.oneSided)
        }
    }

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

    /// - Parameter size: the length of the value that begins with these bytes; nil if they are the entire value.
    private func document(_ bytes: UnsafeRawBufferPointer, size: UInt64? = nil) -> Document? {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(ContentHead.byteCount))
        switch PlistFormat.sniff(head) {
        case .binary, .xml: break
        default: return nil
        }
        let isWhole = bytes.count <= options.nestedBytes && size.map { $0 == UInt64(bytes.count) } ?? true
        return Document(bytes: isWhole ? Array(bytes) : nil, isPlist: ContentHead.isEncodedPlist(Array(head)))
    }
}

/// A file with the content of a Core Data blob, beside the database in `.STEM_SUPPORT/_EXTERNAL_DATA/`.
package struct ExternalFile {
    package let size: UInt64
    package let digest: ContentDigest
    /// Reads the beginning of the file: all of it if the file is short enough to be examined.
    package let head: () -> [UInt8]

    package init(size: UInt64, digest: ContentDigest, head: @autoclosure @escaping () -> [UInt8] = []) {
        self.size = size
        self.digest = digest
        self.head = head
    }
}

/// Finds a file of a side by its name. Returns nil if there is none.
package typealias ExternalLookup = (DatabaseSide, String) -> ExternalFile?

/// Compares Core Data blobs by their content, stored inline or in files.
struct ExternalBlobEquality {
    let external: ExternalLookup

    /// Returns true if two blobs have the same content, or nil if neither is the name of a file, so that their bytes decide.
    func areEqual(_ column: ColumnPair, _ rows: RowOrder) -> Bool? {
        guard column.old >= 0, column.new >= 0, rows.old.type(column.old) == .blob,
            rows.new.type(column.new) == .blob
        else { return nil }
        let old = rows.old[column.old].bytes(isWide: rows.isOldWide)
        let new = rows.new[column.new].bytes(isWide: rows.isNewWide)
        switch (ExternalReference.name(old), ExternalReference.name(new)) {
        case (nil, nil): return nil
        case (let oldName?, let newName?):
            let oldFile = external(.old, oldName)
            let newFile = external(.new, newName)
            // If both files are missing, only the names can be compared.
            guard let oldFile, let newFile else { return oldFile == nil && newFile == nil && oldName == newName }
            return oldFile.digest == newFile.digest && oldFile.size == newFile.size
        case (let oldName?, nil): return isSame(external(.old, oldName), new)
        case (nil, let newName?): return isSame(external(.new, newName), old)
        }
    }

    /// Returns true if a file has the same content as an inline blob. Core Data moves content between the two when its length
    /// changes.
    private func isSame(_ file: ExternalFile?, _ blob: UnsafeRawBufferPointer) -> Bool {
        guard let file, let content = ExternalReference.content(blob), file.size == UInt64(content.count) else { return false }
        var hasher = SHA256Hasher()
        return hasher.digest(of: content) == file.digest
    }
}
