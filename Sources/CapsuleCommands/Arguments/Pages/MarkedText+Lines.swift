extension MarkedText {
    /// The text cut at spaces, which go, into as few lines as fit; a word that does not fit is a line all the same.
    ///
    /// No line ends with a dot before the last one does: to roff that would be the end of a sentence.
    func lines(fitting fits: (MarkedText) -> Bool) -> [MarkedText] {
        var lines: [MarkedText] = []
        // The line at hand, and what may have to go to the next: a word, with the space in front of it.
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
