/// Everything about a command, in order, before it is formatted as help or as a man page.
package struct ReferencePage: Sendable {
    struct Section: Sendable {
        /// The heading, in capitals as in man pages.
        let title: String
        let blocks: [Block]
    }

    enum Medium: Sendable {
        /// `--help`. The flags of every verb come last on the program's page; the last line of a verb's page refers to it.
        case help
        case manual
    }

    /// A piece of a section.
    enum Block: Sendable {
        case paragraph(MarkedText)
        /// A form of a command: the beginning, then parts that must not be broken.
        case synopsis(head: MarkedText, parts: [MarkedText])
        case subheading(String)
        case entry(term: MarkedText, text: MarkedText)
        /// A short term, with its meaning on the same line.
        case row(term: MarkedText, text: MarkedText)
        case example(meaning: String, command: String)
    }

    /// `capsule-pack`
    let name: String
    let summary: String
    let sections: [Section]

    init(_ command: CommandDefinition, in table: CommandTable, for medium: Medium) {
        name = command.pageName
        summary = command.summary
        let flags = Section(title: "FLAGS", blocks: Self.flags(command, for: medium))
        let isLast = command.verb == nil && medium == .help
        let sections: [Section?] = [
            Section(title: "SYNOPSIS", blocks: Self.synopsis(command)),
            Section(title: "DESCRIPTION", blocks: command.description.map { .paragraph(MarkedText($0)) }),
            Section(title: "VERBS", blocks: command.verb == nil ? Self.verbs(table) : []),
            Section(title: "GUIDES", blocks: command.verb == nil ? Self.guides : []),
            Section(title: "FORMS", blocks: Self.forms(command)),
            isLast ? nil : flags,
            Section(title: "CONTAINERS", blocks: Self.containers(command, for: medium)),
            Section(title: "EXAMPLES", blocks: command.examples.map { .example(meaning: $0.meaning, command: $0.command) }),
            Section(title: "EXIT STATUS", blocks: Self.rows(Self.meanings(command.statuses, of: command, for: medium))),
            Section(title: "ENVIRONMENT", blocks: Self.entries(Self.meanings(command.environment, of: command, for: medium))),
            Section(title: "SEE ALSO", blocks: Self.related(command, in: table)),
            isLast ? flags : nil,
        ]
        self.sections = sections.compactMap(\.self).filter { !$0.blocks.isEmpty }
    }

    private static func synopsis(_ command: CommandDefinition) -> [Block] {
        command.longSynopsis.map { synopsis in
            .synopsis(head: MarkedText(literally: synopsis.head, .literal), parts: synopsis.parts.map { MarkedText($0) })
        }
    }

    private static func verbs(_ table: CommandTable) -> [Block] {
        table.groups.flatMap { group in
            [.subheading(group.title)]
                + group.verbs.map {
                    .row(term: MarkedText(literally: $0.verb ?? "", .literal), text: MarkedText(literally: $0.summary))
                }
        }
    }

    private static let guides: [Block] =
        [.paragraph(MarkedText("`capsule help` *TOPIC* explains these subjects:"))]
        + Guide.all.map { .row(term: MarkedText(literally: $0.topic, .literal), text: MarkedText(literally: $0.summary)) }

    private static func forms(_ command: CommandDefinition) -> [Block] {
        command.forms.compactMap { form in
            form.word.map { .row(term: MarkedText(literally: $0, .literal), text: MarkedText(literally: form.summary)) }
        }
    }

    private static func flags(_ command: CommandDefinition, for medium: Medium) -> [Block] {
        let common = MarkedText("`capsule`(1) lists the flags that every verb takes.")
        let isReferred = medium == .manual && command.verb != nil
        return (isReferred ? [.paragraph(common)] : [])
            + command.listedGroups.flatMap { group, flags in
                [.subheading(group.rawValue)] + flags.map { .entry(term: $0.term, text: MarkedText($0.longText)) }
            }
    }

    /// The forms of a CONTAINER; in the help of a verb, which is read on a terminal, one sentence about them.
    private static func containers(_ command: CommandDefinition, for medium: Medium) -> [Block] {
        guard command.explainsContainers else { return [] }
        if command.verb != nil, medium == .help { return [.paragraph(MarkedText(containerFormsInShort))] }
        return containerForms
    }

    /// The meanings that are particular to the verb. Its man page has the others too; help has them on the program's page.
    private static func meanings(
        _ meanings: [CommandDefinition.Meaning], of command: CommandDefinition, for medium: Medium
    ) -> [CommandDefinition.Meaning] {
        guard command.verb != nil, medium == .help else { return meanings }
        let common = CommandDefinition.Meaning.always + CommandDefinition.Meaning.commonEnvironment
        return meanings.filter { meaning in !common.contains { $0.term == meaning.term } }
    }

    private static func entries(_ meanings: [CommandDefinition.Meaning]) -> [Block] {
        meanings.map { .entry(term: MarkedText(literally: $0.term, .literal), text: MarkedText($0.text)) }
    }

    private static func rows(_ meanings: [CommandDefinition.Meaning]) -> [Block] {
        meanings.map { .row(term: MarkedText(literally: $0.term, .literal), text: MarkedText($0.text)) }
    }

    private static func related(_ command: CommandDefinition, in table: CommandTable) -> [Block] {
        let program = table.program.pageName
        let pages: [String] =
            command.verb == nil
            ? table.verbs.map { "`\($0.pageName)`(1)" } + ["capsule", "capsule-diff", "capsule-overlay"].map { "`\($0)`(5)" }
            : ([program] + command.related.map { "\(program)-\($0)" }).map { "`\($0)`(1)" }
        return [.paragraph(MarkedText(pages.joined(separator: ", ")))]
    }
}

extension FlagDefinition {
    var shortText: String {
        aliases.isEmpty ? summary : "\(summary) (alias: \(aliases.map { "--" + $0 }.joined(separator: ", ")))"
    }

    var longText: String {
        aliases.isEmpty ? details : "\(details) Alias: \(aliases.map { "`--\($0)`" }.joined(separator: ", "))."
    }

    /// `-o, --output FILE`, in marked text.
    var term: MarkedText { MarkedText(spellings.map { "`\($0)`" }.joined(separator: ", ") + markedValue) }
}

extension ReferencePage {
    func set(in layout: inout WordWrapper) {
        for section in sections {
            layout.addEmptyLine()
            layout.add([MarkedText(literally: section.title, .literal)])
            var isFirst = true
            for block in section.blocks {
                Self.set(block, isFirst: isFirst, in: &layout)
                // The block after a subheading follows it directly.
                isFirst = if case .subheading = block { true } else { false }
            }
        }
    }

    private static func set(_ block: Block, isFirst: Bool, in layout: inout WordWrapper) {
        let isTight =
            switch block {
            case .synopsis, .row: true
            case .paragraph, .subheading, .entry, .example: false
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
        }
    }
}
