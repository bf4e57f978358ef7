import CapsuleCore

/// An argument as a message can show it: one line, whatever its bytes.
///
/// Control characters and bytes that are no UTF-8 come out as `\n`, `\t`, `\xFF`, and so do the characters that turn the
/// direction of text, which could make a message read as another one. A backslash stays as it is: this is to be read, not
/// to be parsed.
struct QuotedBytes {
    let text: String

    init(_ bytes: [UInt8]) {
        var text = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let scalar = TerminalCharacters.scalar(at: rest) else {
                text += TerminalCharacters.escaped(rest.removeFirst())
                continue
            }
            let width = UTF8.width(scalar)
            if TerminalCharacters.isPlain(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += rest.prefix(width).map(TerminalCharacters.escaped).joined()
            }
            rest = rest.dropFirst(width)
        }
        self.text = text
    }
}
