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
            var values = Dictionary(row.columns.map { ($0.name, $0.new) }, uniquingKeysWith: { first, _ in first })
            for part in row.key { values[part.column] = part.value }
            text += line(names.map { Self.field(values[$0] ?? nil) })
        }
        return text
    }

    private func line(_ fields: [String]) -> [UInt8] { Array((fields.map(Self.quoted).joined(separator: ",") + "\r\n").utf8) }

    private static func quoted(_ field: String) -> String {
        guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

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
