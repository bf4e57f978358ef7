import CapsuleCore

package struct HelpRequest: Sendable {
    enum Subject: Sendable {
        /// A verb, one of its forms, or `capsule` itself.
        case command(CommandDefinition, HelpPage.Form)
        case guide(Guide)
    }

    let subject: Subject
    /// The value of `--color` before help was requested.
    package let color: ColorChoice

    /// True if the text may be long, so that a pager is useful.
    package var isLong: Bool {
        if case .command(_, .short) = subject { false } else { true }
    }

    package func text(width: Int, isStyled: Bool) -> String {
        switch subject {
        case .command(let command, let form):
            HelpPage(command, form).text(width: width, isStyled: isStyled)
        case .guide(let guide):
            guide.text
        }
    }
}

/// The help of a verb or of `capsule` itself, formatted for a terminal or a pipe.
package struct HelpPage: Sendable {
    /// The length of the help: `-h` prints the short form, `--help` the long one.
    package enum Form: Sendable {
        case short, long
    }

    let command: CommandDefinition
    let form: Form
    let table: CommandTable

    package init(_ command: CommandDefinition, _ form: Form, in table: CommandTable = .capsule) {
        self.command = command
        self.form = form
        self.table = table
    }

    /// Returns the page, with a newline after every line.
    package func text(width: Int = 80, isStyled: Bool = false) -> String {
        var layout = WordWrapper(columns: width, isStyled: isStyled)
        switch form {
        case .short: setShort(in: &layout)
        case .long: setLong(in: &layout)
        }
        return layout.text
    }

    private func setShort(in layout: inout WordWrapper) {
        layout.add([MarkedText("`\(command.invocation)`: \(command.summary)")])
        // With one line more, the list of verbs would not fit on a screen.
        if command.verb != nil { layout.addEmptyLine() }
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
        // The flags of every verb are only in the long help of the program.
        for (group, flags) in command.listedGroups where group != .common {
            setColumns(of: group.rawValue, flags.map { ($0.alignedTerm, $0.shortText) }, in: &layout)
        }
        layout.addEmptyLine()
        if command.verb != nil {
            let more = "`\(command.invocation) --help` explains more\(command.examples.isEmpty ? "" : " and has examples")."
            layout.add(MarkedText(more).words)
        }
        addCommonFlags(in: &layout)
    }

    private func addCommonFlags(in layout: inout WordWrapper) {
        layout.add(MarkedText("`capsule --help` lists what all verbs share: flags, exit statuses, variables.").words)
    }

    /// Adds a heading, then terms on the left and their meanings on the right.
    /// - Parameter width: the length of the longest term; nil to compute it.
    private func setColumns(
        of heading: String, _ rows: [(term: MarkedText, text: String)], width: Int? = nil, in layout: inout WordWrapper
    ) {
        layout.addEmptyLine()
        layout.add([MarkedText(literally: heading, .literal)])
        let column = min((width ?? rows.map(\.term.plain.count).max() ?? 0) + 4, layout.width / 2)
        for row in rows {
            layout.add(term: row.term, MarkedText(literally: row.text).words, indent: 2, column: column)
        }
    }

    private func setLong(in layout: inout WordWrapper) {
        layout.add([MarkedText("`\(command.invocation)`: \(command.summary)")])
        ReferencePage(command, in: table, for: .help).set(in: &layout)
        guard command.verb != nil else { return }
        layout.addEmptyLine()
        addCommonFlags(in: &layout)
    }
}

extension FlagDefinition {
    /// The term, indented by the width of a short form, so that all long forms are aligned.
    fileprivate var alignedTerm: MarkedText {
        letter == nil ? MarkedText(spans: [MarkedText.Span(text: "    ", style: .plain)] + term.spans) : term
    }
}

extension CommandDefinition {
    /// The syntax of each form, without its optional flags: `capsule pack CONTAINER [FLAG]...`, `capsule overlay invert FILE -o FILE
    /// [FLAG]...`
    var shortSynopsis: [String] {
        verb == nil
            ? ["capsule VERB [ARGUMENT]..."]
            : forms.map { form in
                let (before, behind) = form.positionalsAroundFlags
                let needed = ownFlags.filter { isNeeded($0, by: form) }.map(\.plainSynopsis)
                let words = [head(of: form)] + before.map(\.synopsis) + needed + ["[FLAG]..."] + behind.map(\.synopsis)
                return words.joined(separator: " ")
            }
    }

    /// The syntax of each form: the literal beginning, then parts that must not be broken. Common flags are left out. In marked
    /// text (see ``MarkedText``): a flag is literal, a value a placeholder.
    var longSynopsis: [(head: String, parts: [String])] {
        if verb == nil {
            return [
                (invocation, ["*VERB*", "[*ARGUMENT*]..."]),
                (invocation + " help", ["[*TOPIC*]"]),
                (invocation + " --version", ["[`-v`]"]),
            ]
        }
        return forms.map { form in
            let (before, behind) = form.positionalsAroundFlags
            let taken = ownFlags.filter(form.takes)
            let needed = taken.filter { isNeeded($0, by: form) }.map(\.markedCall)
            let flags = needed + taken.filter { !isNeeded($0, by: form) }.map(\.markedSynopsis)
            return (head(of: form), before.map(\.markedSynopsis) + flags + behind.map(\.markedSynopsis))
        }
    }

    private func isNeeded(_ flag: FlagDefinition, by form: CommandForm) -> Bool {
        constraints.contains { constraint in
            if case .choice(let uses, let id, _) = constraint { uses.map(\.flag) == [flag.id] && id == form.id } else { false }
        }
    }

    private func head(of form: CommandForm) -> String {
        form.word.map { invocation + " " + $0 } ?? invocation
    }
}

extension CommandForm {
    /// The positionals before and after the flags. Only those of a program come after the flags.
    fileprivate var positionalsAroundFlags: (before: [PositionalDefinition], behind: [PositionalDefinition]) {
        (positionals.filter { !$0.arity.isProgram }, positionals.filter(\.arity.isProgram))
    }
}

extension FlagDefinition {
    /// `[-o FILE]`, in marked text.
    fileprivate var markedSynopsis: String { "[\(markedCall)]" + (value?.isRepeatable == true ? "..." : "") }

    /// `-o FILE`, in marked text.
    fileprivate var markedCall: String { "`\(shortSpelling ?? longSpelling)`\(markedValue)" }

    /// `-o FILE`
    fileprivate var plainSynopsis: String { (shortSpelling ?? longSpelling) + (value.map { " " + $0.name } ?? "") }

    /// The text after the flag, in marked text: ` FILE`.
    var markedValue: String { value.map { " " + $0.markedName } ?? "" }
}

extension FlagDefinition.Value {
    /// The name in marked text: words are literal, anything else is a placeholder.
    var markedName: String {
        if case .words(let words) = form, name == words.joined(separator: "|") { return "`\(name)`" }
        return "*\(name)*"
    }
}

extension PositionalDefinition {
    fileprivate var markedSynopsis: String {
        let isWords = if case .words = form { true } else { false }
        let marked = isWords ? "`\(name)`" : "*\(name)*"
        return switch arity {
        case .one: marked
        case .optional: "[\(marked)]"
        case .any: "[\(marked)]..."
        case .some: "\(marked)..."
        case .program: "`--` \(marked)..."
        case .optionalProgram: "[`--` \(marked)...]"
        }
    }
}

extension CommandLineScan {
    /// Returns the help for a topic: a verb, a verb and its form, a guide, or the page of a verb by its name, such as `capsule-diff`
    /// or `diff(1)`.
    mutating func help(on words: [[UInt8]]) throws(UsageError) -> Invocation {
        guard let topic = words.first else { return help(.command(table.program, .long)) }
        if words.count > 2 { throw unexpectedArgument(words[2]) }
        if let verb = table.verb(named: topic) {
            guard words.count == 2 else { return help(.command(verb, .long)) }
            guard verb.forms.contains(where: { $0.word != nil }) else { throw unexpectedArgument(words[1]) }
            command = verb
            guard let form = verb.forms.first(where: { $0.word?.utf8.elementsEqual(words[1]) == true }) else {
                throw unknownForm(words[1])
            }
            return help(.command(verb.narrowed(to: form), .long))
        }
        let guide = Guide.named(topic).map { HelpRequest.Subject.guide($0) }
        let page = table.command(ofPage: QuotedBytes(topic).text).map { HelpRequest.Subject.command($0, .long) }
        guard let subject = guide ?? page else { throw unknownTopic(topic) }
        if words.count == 2 { throw unexpectedArgument(words[1]) }
        return help(subject)
    }

    func help(_ subject: HelpRequest.Subject) -> Invocation {
        .help(HelpRequest(subject: subject, color: Flag.color.read(values[Flag.color.id] ?? [])))
    }

    private func unknownTopic(_ typed: [UInt8]) -> UsageError {
        UsageError(
            code: .unknownVerb, message: "no help on '\(QuotedBytes(typed).text)'",
            hint: Suggestions.hint(for: table.topics(near: typed)) ?? "'capsule help' lists the topics")
    }
}

extension CommandTable {
    /// All topics of `capsule help` that are one word, in the order in which help lists them.
    package var topics: [String] { verbNames + Guide.all.map(\.topic) }

    /// Returns the command whose page of the manual has this name. The prefix `capsule-` and the section are optional.
    func command(ofPage name: String) -> CommandDefinition? {
        let ending = [".1", "(1)"].first { name.hasSuffix($0) } ?? ""
        let base = name.dropLast(ending.count)
        return all.first { $0.pageName == base || $0.pageName == "capsule-\(base)" }
    }

    /// Returns the topics most similar to a misspelled one: verbs, forms of verbs, and guides.
    fileprivate func topics(near typed: [UInt8]) -> [String] {
        let text = QuotedBytes(typed).text
        let guides = Guide.all.filter { $0.otherWords.contains(text) }.map(\.topic)
        if !guides.isEmpty { return guides }
        let meant = verbs.filter { $0.otherWords.contains(text) }.compactMap(\.verb)
        if !meant.isEmpty { return meant }
        let forms = verbs.filter { $0.forms.contains { $0.word == text } }.map { "\($0.verb ?? "") \(text)" }
        if !forms.isEmpty { return Array(forms.prefix(3)) }
        return Suggestions(for: text, among: topics).words
    }
}
