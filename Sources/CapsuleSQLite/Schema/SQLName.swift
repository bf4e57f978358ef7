/// A name in a schema, as the bytes that SQLite has: no normal form of Unicode makes two names one.
struct SQLName: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// For people; what is no UTF-8 is replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What SQLite knows it by: ASCII letters in lower case.
    var folded: [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }

    /// As an identifier in a statement.
    var quoted: [UInt8] {
        let mark = UInt8(ascii: "\"")
        return [mark] + bytes.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark]
    }

    func hasPrefix(_ text: String) -> Bool { folded.starts(with: text.utf8) }

    static func < (left: SQLName, right: SQLName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
