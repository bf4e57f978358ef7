/// Text as roff takes it: what it would read as an escape, a request or a typographic sign is written so that the reader
/// sees, and can copy, the very characters.
struct RoffText {
    let source: String

    /// Plain text, for a line of its own or an argument.
    init(_ text: String) {
        self.init(MarkedText(literally: text))
    }

    /// Marked text: literals bold, placeholders italic.
    init(_ marked: MarkedText) {
        let source = marked.spans.map { span in
            switch span.style {
            case .plain: Self.escaped(span.text)
            case .literal: "\\fB\(Self.escaped(span.text))\\fR"
            case .placeholder: "\\fI\(Self.escaped(span.text))\\fR"
            }
        }.joined()
        // A dot at the beginning of a line makes it a request. (So does an apostrophe, but none is left.)
        self.source = source.hasPrefix(".") ? "\\&" + source : source
    }

    /// Bytes that a line of a page has at most, where it can be broken. (mandoc's lint)
    private static let lineLength = 80

    /// A sentence on lines that are no longer than they need be.
    static func lines(_ sentence: MarkedText) -> [String] {
        sentence.lines { RoffText($0).source.utf8.count <= lineLength }.map { RoffText($0).source }
    }

    /// As an argument of a macro: quoted, whatever it holds.
    var quoted: String { "\"\(source)\"" }

    /// The text with spaces at which no line is broken, and without an end of a sentence.
    var unbroken: String {
        let line = source.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "\\ ")
        return line.hasSuffix(".") ? line + "\\&" : line
    }

    private static func escaped(_ text: String) -> String {
        var source = ""
        for character in text {
            switch character {
            case "\\": source += "\\e"
            case "-": source += "\\-"
            case "'": source += "\\(aq"
            case "`": source += "\\(ga"
            case "\"": source += "\\(dq"
            case "^": source += "\\(ha"
            case "~": source += "\\(ti"
            default: source.append(character)
            }
        }
        return source
    }
}
