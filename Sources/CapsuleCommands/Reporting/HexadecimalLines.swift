/// Bytes as text: sixteen a line, in hexadecimal and as ASCII.
struct HexadecimalLines {
    let lines: [String]

    init(_ bytes: [UInt8]) {
        lines = stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.count)]
            let digits = line.map { Self.digits(Int($0), 2) }.joined(separator: " ")
            let characters = String(decoding: line.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
            return "\(Self.digits(start, 4))  \(digits.padded(to: 47))  \(characters)"
        }
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
