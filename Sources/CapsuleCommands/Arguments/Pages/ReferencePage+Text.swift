extension ReferencePage {
    /// The page as text for a terminal or a pipe, every line ended by a newline.
    ///
    /// - Parameters:
    ///   - heading: the first line, in marked text.
    ///   - width: the columns of the terminal, if known; the same bounds hold as for ``HelpPage``.
    ///   - isStyled: whether headings and what is typed literally are bold (with ANSI escapes).
    func text(heading: String, width: Int = 80, isStyled: Bool = false) -> String {
        var layout = TextLayout(columns: width, isStyled: isStyled)
        layout.add(MarkedText(heading).words)
        set(in: &layout)
        return layout.text
    }

    /// Adds the sections, each under its heading.
    func set(in layout: inout TextLayout) {
        for section in sections {
            layout.addEmptyLine()
            layout.add([MarkedText(literally: section.title, .literal)])
            var isFirst = true
            for block in section.blocks {
                Self.set(block, isFirst: isFirst, in: &layout)
                // What follows a subheading stands right under it.
                isFirst = if case .subheading = block { true } else { false }
            }
        }
    }

    private static func set(_ block: Block, isFirst: Bool, in layout: inout TextLayout) {
        let isTight =
            switch block {
            case .synopsis, .row: true
            case .paragraph, .subheading, .entry, .example, .typed: false
            }
        if !isFirst, !isTight { layout.addEmptyLine() }
        switch block {
        case .paragraph(let text):
            layout.add(text.quotingSymbols.words, indent: 4)
        case .synopsis(let head, let parts):
            layout.add([head] + parts, indent: 4, hanging: 4)
        case .subheading(let title):
            layout.add([MarkedText(literally: title, .literal)], indent: 2)
        case .entry(let term, let text):
            layout.add([term], indent: 4)
            layout.add(text.quotingSymbols.words, indent: 8)
        case .row(let term, let text):
            layout.add(term: term, text.quotingSymbols.words, indent: 4, column: 18)
        case .example(let meaning, let command):
            layout.add(MarkedText(literally: meaning).words, indent: 4)
            layout.add([MarkedText(literally: command, .literal)], indent: 8)
        case .typed(let lines):
            for line in lines { layout.add([MarkedText(literally: line)], indent: 8) }
        }
    }
}
