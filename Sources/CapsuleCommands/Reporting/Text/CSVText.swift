import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// Rows of a table as comma-separated values (RFC 4180): a line with the columns, then one for each row. NULL is empty, data is in
/// Base64, and the lines end with CR and LF.
struct CSVText {
    func bytes(of file: ShownFile) -> [UInt8] {
        guard let table = file.tables.first else { return [] }
        let names = table.columns.map(\.name)
        var text = line(names)
        for detail in file.details {
            guard case .row(let row) = detail.content else { continue }
            // Names are compared by their bytes, as SQLite does.
            let columns =
                row.columns.map { (Array($0.name.utf8), $0.new) }
                + row.key.filter(\.isColumn).map { (Array($0.column.utf8), $0.value) }
            let values = Dictionary(columns, uniquingKeysWith: { first, _ in first })
            text += line(names.map { Self.field(values[Array($0.utf8)] ?? nil) })
        }
        return text
    }

    private func line(_ fields: [String]) -> [UInt8] {
        // Readers skip an empty line.
        let text =
            fields == [""] ? [Self.quote, Self.quote] : Array(fields.map(Self.quoted).joined(separator: [UInt8(ascii: ",")]))
        return text + [0x0D, 0x0A]
    }

    /// Bytes are compared, because a quotation mark and an accent behind it are one character.
    private static func quoted(_ field: String) -> [UInt8] {
        guard field.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == quote || $0 == 0x0A || $0 == 0x0D }) else {
            return Array(field.utf8)
        }
        return [quote] + field.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }

    private static let quote = UInt8(ascii: "\"")

    private static func field(_ value: DisplayValue?) -> String {
        switch value {
        case nil, .value(.null): ""
        case .value(let value):
            switch value {
            case .string(let text): text.string
            case .data(let bytes): String(decoding: Base64.encode(bytes), as: UTF8.self)
            default: value.line()
            }
        case .textHead(let head, _, _): head.string
        case .dataHead(let head, _, _): String(decoding: Base64.encode(head), as: UTF8.self)
        case .external(let name, _, _): name
        case .hidden(let kind): "hidden (\(kind))"
        }
    }
}
