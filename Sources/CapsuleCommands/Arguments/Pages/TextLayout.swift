/// Sets words into lines of a given width.
struct TextLayout {
    let width: Int
    /// Whether literal text comes out bold.
    let isStyled: Bool
    private(set) var text = ""

    init(width: Int, isStyled: Bool) {
        self.width = width
        self.isStyled = isStyled
    }

    /// For a terminal of so many columns. Below 40 lines would be all indentation, above 100 they would be hard to read: both
    /// are held to.
    init(columns: Int, isStyled: Bool) {
        self.init(width: min(max(columns, 40), 100), isStyled: isStyled)
    }

    mutating func addEmptyLine() {
        text += "\n"
    }

    /// Adds `words`, none of which is broken, as many on a line as fit.
    ///
    /// - Parameters:
    ///   - indent: spaces before each line.
    ///   - hanging: more of them, before each line but the first.
    mutating func add(_ words: [MarkedText], indent: Int = 0, hanging: Int = 0) {
        fill(words, line: String(repeating: " ", count: indent), used: indent, indent: indent + hanging)
    }

    /// Adds a term and, from `column` on, what it means; a term too long for that has a line of its own.
    mutating func add(term: MarkedText, _ words: [MarkedText], indent: Int, column: Int) {
        let line = String(repeating: " ", count: indent) + styled(term)
        let used = indent + term.plain.count
        if used + 2 <= column {
            fill(words, line: line + String(repeating: " ", count: column - used), used: column, indent: column)
        } else {
            text += line + "\n"
            add(words, indent: column)
        }
    }

    private mutating func fill(_ words: [MarkedText], line: String, used: Int, indent: Int) {
        var line = line
        var used = used
        var isAtStart = true
        for word in words {
            let count = word.plain.count
            if !isAtStart, used + 1 + count > width {
                text += line + "\n"
                line = String(repeating: " ", count: indent)
                used = indent
                isAtStart = true
            }
            line += (isAtStart ? "" : " ") + styled(word)
            used += (isAtStart ? 0 : 1) + count
            isAtStart = false
        }
        text += line + "\n"
    }

    private func styled(_ marked: MarkedText) -> String {
        guard isStyled else { return marked.plain }
        return marked.spans.map { $0.style == .literal ? "\u{1B}[1m\($0.text)\u{1B}[0m" : $0.text }.joined()
    }
}
