import CapsuleCore
import CapsulePropertyList

/// Changes as `LETTER TAB POINTER`, for scripts.
struct NameStatusText {
    /// Whether NUL ends letters and pointers, which are written as they are.
    let isRaw: Bool

    /// One line for each change; the encoding of the whole has the empty pointer.
    func text(of diff: PlistDiff) -> [UInt8] {
        var text: [UInt8] = []
        if diff.encodingsDiffer, diff.isEmpty { append("E", .root, to: &text) }
        for change in diff.changes { append(Self.letter(of: change), change.pointer, to: &text) }
        return text
    }

    private static func letter(of change: PlistChange) -> Character {
        switch change.kind {
        case .added: "A"
        case .deleted: "D"
        case .modified: "M"
        case .order: "O"
        case .encoding: "E"
        }
    }

    private func append(_ letter: Character, _ pointer: PlistPointer, to text: inout [UInt8]) {
        text += Array(String(letter).utf8)
        text.append(isRaw ? 0 : UInt8(ascii: "\t"))
        let bytes = Array(pointer.description.utf8)
        text += isRaw ? bytes : Self.quoted(bytes)
        text.append(isRaw ? 0 : UInt8(ascii: "\n"))
    }

    /// In quotation marks with C's escapes, where there is a control character, a quotation mark or a backslash.
    static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard !isPlain else { return bytes }
        var text = [UInt8(ascii: "\"")]
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x0A: text += Array("\\n".utf8)
            case 0x0D: text += Array("\\r".utf8)
            case 0x09: text += Array("\\t".utf8)
            case 0..<0x20, 0x7F:
                let octal = String(byte, radix: 8)
                text += Array(("\\" + String(repeating: "0", count: 3 - octal.count) + octal).utf8)
            default: text.append(byte)
            }
        }
        return text + [UInt8(ascii: "\"")]
    }
}
