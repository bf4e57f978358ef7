import CapsuleCore

/// Makes a text harmless for a terminal, piece by piece: lines and tabs stay, and whatever else would do something there comes out
/// as `\x1B`, and so do bytes that are no UTF-8.
///
/// ``StandardOutput`` sends all that goes to a terminal through this, so no report needs to think of it. What a container holds is
/// data of others: it must not move the cursor, rename the window, or turn the direction of a line.
struct TerminalText {
    /// Whether colors stay (ECMA-48, SGR), as reports have them. A file's own don't.
    let keepsColors: Bool
    /// The beginning of what the next piece may go on with.
    private var rest: [UInt8] = []

    init(keepsColors: Bool) {
        self.keepsColors = keepsColors
    }

    /// The text of a piece, but for what may go on in the next one.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        if rest.isEmpty, piece.allSatisfy(Self.isPlain) { return Array(piece) }
        let bytes = rest + piece
        rest = []
        return shown(bytes[...], isEnd: false)
    }

    /// The text of what is left.
    mutating func finish() -> [UInt8] {
        let bytes = rest
        rest = []
        return shown(bytes[...], isEnd: true)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
    }

    private mutating func shown(_ bytes: ArraySlice<UInt8>, isEnd: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var bytes = bytes
        while let byte = bytes.first {
            if Self.isPlain(byte) {
                text.append(byte)
                bytes.removeFirst()
                continue
            }
            if !isEnd, Self.mayGoOn(bytes) {
                rest = Array(bytes)
                break
            }
            let count = keptCount(bytes)
            if count > 0 {
                text += bytes.prefix(count)
                bytes = bytes.dropFirst(count)
            } else {
                let width = TerminalCharacters.scalar(at: bytes).map { UTF8.width($0) } ?? 1
                for byte in bytes.prefix(width) { text += TerminalCharacters.escaped(byte).utf8 }
                bytes = bytes.dropFirst(width)
            }
        }
        return text
    }

    /// How many of the first bytes go out as they are: a line's end of two, a color, a character.
    private func keptCount(_ bytes: ArraySlice<UInt8>) -> Int {
        if bytes.starts(with: [0x0D, 0x0A]) { return 2 }
        if keepsColors, bytes.starts(with: [0x1B, UInt8(ascii: "[")]) {
            let numbers = bytes.dropFirst(2).prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
            let count = 2 + numbers.count
            return bytes.dropFirst(count).first == UInt8(ascii: "m") ? count + 1 : 0
        }
        guard let scalar = TerminalCharacters.scalar(at: bytes), TerminalCharacters.isPlain(scalar) else { return 0 }
        return UTF8.width(scalar)
    }

    /// Whether the bytes are the beginning of a character, or of a line's end, and no more than that.
    private static func mayGoOn(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count < 4 else { return false }
        if bytes.count == 1, first == 0x0D { return true }
        let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        return bytes.count < width && bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
    }
}
