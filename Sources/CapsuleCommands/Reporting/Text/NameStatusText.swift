import CapsuleArguments
import CapsuleCore
import CapsuleRules

/// Changed entries as `LETTER TAB PATH`, or as the path alone, for scripts.
struct NameStatusText {
    private let isNameOnly: Bool
    /// True to end letters and paths with NUL, without quoting them.
    private let isRaw: Bool

    init?(_ command: ParsedCommand) {
        guard command[.nameStatus] || command[.nameOnly] else { return nil }
        isNameOnly = command[.nameOnly]
        isRaw = command[.null]
    }

    /// Appends a line for one change. Without its letter it has only the last name, the new one.
    private func append(_ letter: String, _ names: [[UInt8]], to text: inout [UInt8]) {
        let fields = isNameOnly ? names.suffix(1).map(shown) : [Array(letter.utf8)] + names.map(shown)
        text += fields.joined(separator: [isRaw ? 0 : UInt8(ascii: "\t")])
        text.append(isRaw ? 0 : UInt8(ascii: "\n"))
    }

    /// Quotes with C's escapes if there is a control character, a quotation mark or a backslash.
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

    /// Returns one line for each entry that differs. Noise has lower-case letters, if it is shown.
    func text(of diff: ContainerDiff, showsNoise: Bool) -> [UInt8] {
        var text: [UInt8] = []
        for entry in diff.entries where showsNoise || !entry.isNoise {
            var letter = EntryClass(entry).letter.description.uppercased()
            var names = [entry.path.bytes]
            if case .renamed(let old) = entry.kind {
                letter = "R100"
                names.insert(old.bytes, at: 0)
            }
            append(entry.isNoise ? letter.lowercased() : letter, names, to: &text)
        }
        return text
    }

    private func shown(_ name: [UInt8]) -> [UInt8] {
        isRaw ? name : String(validating: name, as: UTF8.self) == nil ? Self.quotedBytes(name) : Self.quoted(name)
    }

    /// Quotes bytes, with everything that is not ASCII in C's escapes.
    private static func quotedBytes(_ name: [UInt8]) -> [UInt8] {
        var text = [UInt8(ascii: "\"")]
        for byte in name {
            if byte < 0x80 {
                let one = quoted([byte])
                text += one.count == 1 ? one : Array(one.dropFirst().dropLast())
            } else {
                text += Array(("\\" + String(byte, radix: 8)).utf8)
            }
        }
        return text + [UInt8(ascii: "\"")]
    }
}
