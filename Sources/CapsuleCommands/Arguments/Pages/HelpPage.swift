/// The help of a verb or of `capsule` itself, set for a terminal or a pipe.
struct HelpPage: Sendable {
    /// `-h` prints the short form, `--help` the long one.
    enum Form: Sendable {
        case short, long
    }

    let command: CommandDefinition
    let form: Form
    let table: CommandTable

    init(_ command: CommandDefinition, _ form: Form, in table: CommandTable = .capsule) {
        self.command = command
        self.form = form
        self.table = table
    }

    /// The page, every line ended by a newline.
    ///
    /// - Parameters:
    ///   - width: the columns of the terminal, if known.
    ///   - isStyled: whether headings and what is typed literally are bold (with ANSI escapes).
    func text(width: Int = 80, isStyled: Bool = false) -> String {
        var layout = TextLayout(columns: width, isStyled: isStyled)
        switch form {
        case .short: setShort(in: &layout)
        case .long: setLong(in: &layout)
        }
        return layout.text
    }

    private func setShort(in layout: inout TextLayout) {
        layout.add([MarkedText("`\(command.invocation)`: \(command.summary)")])
        layout.addEmptyLine()
        for (number, synopsis) in command.shortSynopsis.enumerated() {
            layout.add([MarkedText(literally: (number == 0 ? "Usage: " : "   or: ") + synopsis)])
        }
        if command.verb == nil {
            let width = table.verbNames.map(\.count).max() ?? 0
            for group in table.groups {
                let rows = group.verbs.map { (term: MarkedText(literally: $0.verb ?? "", .literal), text: $0.summary) }
                setColumns(of: group.title, rows, width: width, in: &layout)
            }
            let guides = Guide.all.map { (term: MarkedText(literally: $0.topic, .literal), text: $0.summary) }
            setColumns(of: "Guides", guides, in: &layout)
        }
        // Those of every verb are in the long help of the program.
        for (group, flags) in command.listedGroups where group != .common {
            setColumns(of: group.rawValue, flags.map { ($0.alignedTerm, $0.shortText) }, in: &layout)
        }
        layout.addEmptyLine()
        layout.add(
            MarkedText(
                command.verb == nil
                    ? "`capsule help TOPIC` explains a verb or a guide's subject."
                    : "`\(command.invocation) --help` explains more\(command.examples.isEmpty ? "" : " and has examples")."
            ).words)
        addCommonFlags(in: &layout)
    }

    /// Adds a line that says how to list the flags of every verb.
    private func addCommonFlags(in layout: inout TextLayout) {
        layout.add(MarkedText("`capsule --help` lists the flags that every verb takes.").words)
    }

    /// A heading, then terms on the left and what they mean on the right.
    ///
    /// - Parameter width: of the longest term; without it that is found out.
    private func setColumns(
        of heading: String, _ rows: [(term: MarkedText, text: String)], width: Int? = nil, in layout: inout TextLayout
    ) {
        layout.addEmptyLine()
        layout.add([MarkedText(literally: heading, .literal)])
        let column = min((width ?? rows.map(\.term.plain.count).max() ?? 0) + 4, layout.width / 2)
        for row in rows {
            layout.add(term: row.term, MarkedText(literally: row.text).words, indent: 2, column: column)
        }
    }

    private func setLong(in layout: inout TextLayout) {
        layout.add([MarkedText("`\(command.invocation)`: \(command.summary)")])
        ReferencePage(command, in: table, for: .help).set(in: &layout)
        guard command.verb != nil else { return }
        layout.addEmptyLine()
        addCommonFlags(in: &layout)
    }
}

extension Flag {
    /// The term with space for a short form, so that long forms stand below each other.
    fileprivate var alignedTerm: MarkedText {
        letter == nil ? MarkedText(spans: [MarkedText.Span(text: "    ", style: .plain)] + term.spans) : term
    }
}
