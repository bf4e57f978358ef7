/// Text of the table with its marks read: `` `literal` `` is what is typed or printed as it stands, `*PLACEHOLDER*` what a
/// user puts something else in for. Inside a literal nothing is a mark.
struct MarkedText: Sendable, Equatable {
    /// How a piece of text is meant.
    enum Style: Sendable, Equatable {
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

    /// All of `text` as it stands, marks and all.
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

    mutating func append(_ character: Character, _ style: Style) {
        if spans.last?.style == style {
            spans[spans.count - 1].text.append(character)
        } else {
            spans.append(Span(text: String(character), style: style))
        }
    }

    /// The text alone.
    var plain: String { spans.map(\.text).joined() }

    /// The same with quotation marks around literals that are symbols alone: without another typeface a sentence that
    /// begins with `-` could not be read. What a placeholder touches is a part of something longer, such as `[KEY=VALUE]`.
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

    /// The text cut at its spaces.
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
}
