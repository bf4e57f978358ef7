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
