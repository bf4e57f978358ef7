/// Text of the table with its marks parsed: `` `literal` `` is typed or printed unchanged, and `*PLACEHOLDER*` is replaced by the user.
/// Inside a literal, nothing is a mark.
package struct MarkedText: Sendable, Equatable {
    package enum Style: Sendable, Equatable {
        case plain, literal, placeholder
    }

    /// A run of text of one style.
    struct Span: Sendable, Equatable {
        var text: String
        let style: Style
    }

    private(set) var spans: [Span] = []

    init(spans: [Span]) {
        self.spans = spans
    }

    /// Creates a text without parsing marks.
    init(literally text: String, _ style: Style = .plain) {
        spans = text.isEmpty ? [] : [Span(text: text, style: style)]
    }

    init(_ text: String) {
        var style = Style.plain
        for character in text {
            switch (character, style) {
            case ("`", .plain): style = .literal
            case ("`", .literal): style = .plain
            case ("*", .plain): style = .placeholder
            case ("*", .placeholder): style = .plain
            default: append(character, style)
            }
        }
    }

    package mutating func append(_ character: Character, _ style: Style) {
        if spans.last?.style == style {
            spans[spans.count - 1].text.append(character)
        } else {
            spans.append(Span(text: String(character), style: style))
        }
    }

    var plain: String { spans.map(\.text).joined() }

    /// The text with quotation marks around literals that consist of symbols only: without another typeface, a sentence that begins with
    /// `-` could not be read. A literal next to a placeholder is part of something longer, such as `[KEY=VALUE]`.
    var quotingSymbols: MarkedText {
        MarkedText(
            spans: spans.enumerated().map { number, span in
                let isSymbol = span.style == .literal && !span.text.contains { $0.isLetter || $0.isNumber }
                let isPart = [number - 1, number + 1].contains { spans.indices.contains($0) && spans[$0].style == .placeholder }
                return isSymbol && !isPart ? Span(text: "'\(span.text)'", style: .literal) : span
            })
    }

    /// The sentences, each without the space that follows it.
    var sentences: [MarkedText] {
        var sentences = [MarkedText(spans: [])]
        for span in spans {
            var before: Character?
            for character in span.text {
                if character == " ", before == ".", span.style == .plain {
                    sentences.append(MarkedText(spans: []))
                } else {
                    sentences[sentences.count - 1].append(character, span.style)
                }
                before = character
            }
        }
        return sentences
    }

    var words: [MarkedText] {
        var words: [MarkedText] = []
        var word = MarkedText(spans: [])
        for span in spans {
            for character in span.text {
                if character == " " {
                    if !word.spans.isEmpty { words.append(word) }
                    word = MarkedText(spans: [])
                } else {
                    word.append(character, span.style)
                }
            }
        }
        return word.spans.isEmpty ? words : words + [word]
    }

    /// Breaks the text at spaces, which are removed, into as few lines as possible. A word that does not fit gets a line of its
    /// own. No line but the last ends with a dot, which would be the end of a sentence to roff.
    func lines(fitting fits: (MarkedText) -> Bool) -> [MarkedText] {
        var lines: [MarkedText] = []
        // The current line, and the word that may have to move to the next, with the space before it.
        var line = MarkedText(spans: [])
        var word = MarkedText(spans: [])
        for span in spans {
            for character in span.text {
                if character == " ", let last = word.plain.last, !".?!".contains(last) {
                    Self.add(&word, to: &line, lines: &lines, fits)
                }
                word.append(character, span.style)
            }
        }
        Self.add(&word, to: &line, lines: &lines, fits)
        return line.spans.isEmpty ? lines : lines + [line]
    }

    private static func add(
        _ word: inout MarkedText, to line: inout MarkedText, lines: inout [MarkedText], _ fits: (MarkedText) -> Bool
    ) {
        let longer = line.appending(word)
        if line.spans.isEmpty || fits(longer) {
            line = longer
        } else {
            lines.append(line)
            line = word.withoutFirstSpace
        }
        word = MarkedText(spans: [])
    }

    private func appending(_ other: MarkedText) -> MarkedText {
        var text = self
        for span in other.spans {
            for character in span.text { text.append(character, span.style) }
        }
        return text
    }

    private var withoutFirstSpace: MarkedText {
        guard let first = spans.first, first.text.hasPrefix(" ") else { return self }
        let rest = Span(text: String(first.text.dropFirst()), style: first.style)
        return MarkedText(spans: (rest.text.isEmpty ? [] : [rest]) + spans.dropFirst())
    }
}

/// Lays out words in lines of a given width.
package struct WordWrapper {
    let width: Int
    let isStyled: Bool
    private(set) var text = ""

    /// Creates a layout for a terminal with this many columns. The width is limited to 40–100 columns: below that, lines would be all
    /// indentation; above, they are hard to read.
    init(columns: Int, isStyled: Bool) {
        width = min(max(columns, 40), 100)
        self.isStyled = isStyled
    }

    mutating func addEmptyLine() {
        text += "\n"
    }

    /// Adds `words`, as many per line as fit. Words are not broken.
    /// - Parameters:
    ///   - indent: the number of spaces before each line.
    ///   - hanging: the number of additional spaces before each line but the first.
    package mutating func add(_ words: [MarkedText], indent: Int = 0, hanging: Int = 0) {
        fill(words, line: String(repeating: " ", count: indent), used: indent, indent: indent + hanging)
    }

    /// Adds a term and, starting at `column`, its meaning. A term that is too long gets a line of its own.
    package mutating func add(term: MarkedText, _ words: [MarkedText], indent: Int, column: Int) {
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
