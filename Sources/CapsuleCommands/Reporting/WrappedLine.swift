/// A line for a terminal, broken at spaces where it is wider than that; the lines after the first one are indented.
///
/// Colors stay (ECMA-48, SGR): each line begins with the one that it is in, and ends with none, since pagers forget them.
struct WrappedLine {
    private(set) var text = ""

    private let width: Int
    private let indent: Int
    private var output: [Character] = []
    private var column = 0
    /// The color that is on; empty for none.
    private var color: [Character] = []
    /// The last space of this line: its place in the output, the column after it, and the color there.
    private var space: (place: Int, column: Int, color: [Character])?

    /// Below this there is no use in breaking lines.
    private static let narrowest = 30

    /// - Parameters:
    ///   - line: with its colors, without its end.
    ///   - width: the columns of the terminal.
    ///   - indent: spaces before every line but the first; less if that would leave less than half of the width.
    init(_ line: String, width: Int, indent: Int) {
        self.width = width
        self.indent = indent <= width / 2 ? indent : 8
        guard width >= Self.narrowest, line.utf8.count > width else {
            text = line
            return
        }
        output.reserveCapacity(line.utf8.count * 5 / 4)
        var rest = line[...]
        while let character = rest.first {
            if character == "\u{1B}", let end = rest.firstIndex(of: "m") {
                take(color: rest[...end])
                rest = rest[rest.index(after: end)...]
                continue
            }
            take(character)
            rest = rest.dropFirst()
        }
        text = String(output)
        output = []
    }

    private mutating func take(color sequence: Substring) {
        output += sequence
        color = sequence == "\u{1B}[0m" ? [] : Array(sequence)
    }

    private mutating func take(_ character: Character) {
        let columns = Self.columns(of: character)
        if column + columns > width {
            // A space at the end of the line is the break itself.
            if character == " " {
                output += lineBreak(color)
                column = indent
                space = nil
                return
            }
            if let space {
                output.replaceSubrange(space.place...space.place, with: lineBreak(space.color))
                column = indent + column - space.column
            } else {
                output += lineBreak(color)
                column = indent
            }
            self.space = nil
        }
        output.append(character)
        column += columns
        // The indentation of the first line is no place to break it.
        if character == " ", column > indent + 1 { space = (output.count - 1, column, color) }
    }

    private func lineBreak(_ color: [Character]) -> [Character] {
        let start = ["\n"] + [Character](repeating: " ", count: indent)
        return color.isEmpty ? start : Array("\u{1B}[0m") + start + color
    }

    /// The columns that a text takes on a terminal.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Two for East Asian characters and emoji, none for marks that stand on others.
    private static func columns(of character: Character) -> Int {
        if character.isASCII { return 1 }
        return character.unicodeScalars.reduce(0) { max($0, columns(of: $1)) }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            let category = scalar.properties.generalCategory
            return category == .nonspacingMark || category == .enclosingMark || category == .format ? 0 : 1
        }
    }
}
