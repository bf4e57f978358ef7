import CapsuleCore

extension CommandLineScan {
    /// What `capsule help` prints of a topic: a verb, a verb and its form, a guide, or a page of the manual by its name, such as
    /// `capsule-diff`, `diff.5` or `capsule-diff(5)`.
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
        guard let subject = guide ?? table.page(named: QuotedBytes(topic).text) else { throw unknownTopic(topic) }
        if words.count == 2 { throw unexpectedArgument(words[1]) }
        return help(subject)
    }

    func help(_ subject: HelpRequest.Subject) -> Invocation {
        let color = ArgumentKey<ColorChoice>.color
        return .help(HelpRequest(subject: subject, color: color.read(values[color.id] ?? [])))
    }

    private func unknownTopic(_ typed: [UInt8]) -> UsageError {
        UsageError(
            code: .unknownVerb, message: "no help on '\(QuotedBytes(typed).text)'",
            hint: Suggestions.hint(for: table.topics(near: typed)) ?? "'capsule help' lists the topics")
    }
}

extension CommandTable {
    /// All that `capsule help` takes as one word, as help lists it.
    var topics: [String] { verbNames + Guide.all.map(\.topic) }

    /// The page of the manual that has this name: with `capsule-` or without, with its section or without.
    func page(named name: String) -> HelpRequest.Subject? {
        var base = Substring(name)
        var volume: ReferencePage.Volume?
        for known in [ReferencePage.Volume.commands, .files] {
            for ending in [".\(known.rawValue)", "(\(known.rawValue))"] where base.hasSuffix(ending) && volume == nil {
                volume = known
                base = base.dropLast(ending.count)
            }
        }
        let names = [String(base), "capsule-\(base)"]
        if volume != .files, let command = all.first(where: { names.contains($0.pageName) }) {
            return .command(command, .long)
        }
        guard volume != .commands, let page = ReferencePage.filePages.first(where: { names.contains($0.name) }) else {
            return nil
        }
        return .page(page)
    }

    /// The topics that a misspelt one may have been meant for: verbs, forms of verbs, guides, and pages of section 5.
    fileprivate func topics(near typed: [UInt8]) -> [String] {
        let text = QuotedBytes(typed).text
        let guides = Guide.all.filter { $0.otherWords.contains(text) }.map(\.topic)
        if !guides.isEmpty { return guides }
        let meant = verbs.filter { $0.otherWords.contains(text) }.compactMap(\.verb)
        if !meant.isEmpty { return meant }
        let forms = verbs.filter { $0.forms.contains { $0.word == text } }.map { "\($0.verb ?? "") \(text)" }
        if !forms.isEmpty { return Array(forms.prefix(3)) }
        let pages = ReferencePage.filePages.map { "\($0.name.split(separator: "-").last ?? "").5" }
        return Suggestions(for: text, among: topics + pages).words
    }
}
