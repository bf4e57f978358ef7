import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

/// Checks of the table that no compiler makes, and without which the help could be wrong.
@Suite struct CommandTableTests {
    static let all = CommandTable.capsule.all
    static let flags = all.flatMap { command in command.flags.map { (command, $0) } }
    static let examples = all.flatMap { command in command.examples.map { (command, $0) } }

    @Test func verbsAreTheOnesThereAre() {
        #expect(
            CommandTable.capsule.verbNames == [
                "pack", "restore", "diff", "unpack", "locate", "show", "info", "ls", "du", "cat", "grep", "log", "redact",
                "apply", "undo",
                "drop", "merge",
                "overlay", "plist", "init", "run", "watch", "serve", "push", "pull", "tags",
                "verify", "sign", "recover", "repair", "compact", "label", "git", "generate", "help",
            ])
        #expect(
            CommandTable.capsule.groups.map(\.title) == [
                "Every day", "Look", "Change", "Project and team", "Check and repair", "Set up",
            ])
        #expect(CommandTable.capsule.program.verb == nil)
        #expect(CommandTable.capsule.verbs.map(\.verb) == CommandTable.capsule.verbNames)
    }

    @Test func everyFormIsReachable() {
        let forms = CommandTable.capsule.verbs.flatMap(\.forms)
        #expect(Set(forms.map(\.id)).count == forms.count)
        #expect(Set(forms.map(\.id)) == Set(CommandForm.ID.allCases))
        for verb in CommandTable.capsule.verbs {
            let words = verb.forms.map(\.word)
            #expect(words == [nil] || !words.contains(nil), "\(verb.invocation) has forms with and without a word")
        }
    }

    /// Each flag of a verb with several forms belongs to at least one form, and the flags of a form belong to the verb.
    @Test(arguments: all) func formsShareOutTheFlags(command: CommandDefinition) {
        guard !command.forms.isEmpty else { return }
        for flag in command.flags { #expect(command.forms.contains { $0.takes(flag) }, "\(command.invocation) --\(flag.name)") }
        for id in command.forms.flatMap({ $0.flags ?? [] }) {
            #expect(command.flag(id) != nil, "\(command.invocation) \(id.name)")
        }
    }

    @Test(arguments: all) func namesAreUnique(command: CommandDefinition) {
        let spellings = command.flags.flatMap { $0.spellings + $0.aliases.map { "--" + $0 } }
        #expect(Set(spellings).count == spellings.count)
        #expect(Set(command.flags.map(\.id)).count == command.flags.count)
        for form in command.forms { #expect(Set(form.positionals.map(\.id)).count == form.positionals.count) }
    }

    @Test func otherWordsAreNoVerbsAndNamedOnce() {
        for verb in CommandTable.capsule.verbs {
            #expect(Set(verb.otherWords).count == verb.otherWords.count)
            #expect(Set(verb.otherWords).isDisjoint(with: CommandTable.capsule.verbNames))
        }
    }

    @Test(arguments: [
        ("rollback", ["restore"]), ("find", ["ls"]), ("history", ["log"]), ("unpak", ["unpack"]),
    ])
    func wordsOfOtherToolsLeadToVerbs(word: String, verbs: [String]) {
        #expect(CommandTable.capsule.suggestions(for: Array(word.utf8)) == verbs)
    }

    @Test(arguments: all) func flagsStandByGroupAndName(command: CommandDefinition) {
        let places = command.flags.map { flag in
            (FlagDefinition.Group.allCases.firstIndex(of: flag.group) ?? -1, flag.name)
        }
        for (one, next) in zip(places, places.dropFirst()) { #expect(one < next) }
    }

    @Test(arguments: all) func everyVerbHasTheCommonFlags(command: CommandDefinition) {
        for name in ["color", "help", "jobs", "json", "quiet", "verbose"] { #expect(command.flags.contains { $0.name == name }) }
        #expect(
            command.constraints.contains { constraint in
                if case .conflict(let one, let other, _) = constraint {
                    [one.flag, other.flag] == [Flag.quiet.id, Flag.verbose.id]
                } else {
                    false
                }
            })
    }

    @Test func namesAreWellFormed() {
        for (_, flag) in Self.flags {
            #expect(flag.name.count > 1 && flag.name.allSatisfy { $0 == "-" || ("a"..."z").contains($0) }, "\(flag.name)")
            #expect(flag.letter.map { $0.isASCII && $0.isLetter } ?? true, "\(flag.name)")
        }
    }

    @Test func summariesAreShortAndInHouseStyle() {
        let summaries =
            Self.flags.map { ($0.1.name, $0.1.summary) } + Self.all.map { ($0.invocation, $0.summary) }
            + Self.all.flatMap(\.forms).filter { $0.word != nil }.map { ($0.word ?? "", $0.summary) }
        for (name, summary) in summaries {
            #expect(!summary.isEmpty && summary.count <= 72, "\(name)")
            #expect(!summary.hasSuffix("."), "\(name)")
            #expect(summary.first?.isUppercase == false, "\(name)")
            #expect(!summary.contains { "`*".contains($0) }, "\(name): a summary has no marks")
        }
    }

    @Test func longTextsAreSentences() {
        let texts =
            Self.flags.map { ($0.1.name, $0.1.details) }
            + Self.all.flatMap { command in command.description.map { (command.invocation, $0) } }
            + Self.all.flatMap { command in (command.statuses + command.environment).map { (command.invocation, $0.text) } }
        for (name, text) in texts {
            let plain = MarkedText(text).plain
            #expect(plain.hasSuffix("."), "\(name): \(text)")
            #expect(plain.first.map { $0.isUppercase || text.hasPrefix("`") } == true, "\(name): \(text)")
            #expect(!text.contains("  ") && !text.contains("\n"), "\(name): \(text)")
            #expect(text.count { $0 == "`" }.isMultiple(of: 2), "\(name): \(text)")
            // A flag outside of backquotes would not be bold, and the test below would miss it.
            let unmarked = MarkedText(text).spans.filter { $0.style != .literal }.map(\.text).joined()
            #expect(!unmarked.contains("--") && !unmarked.contains("*"), "\(name): \(text)")
        }
    }

    /// Every literal that looks like a flag is a flag of this command, or of the one named before it.
    @Test func flagsInTextsExist() {
        for command in Self.all {
            let texts = command.description + command.flags.map(\.details) + (command.statuses + command.environment).map(\.text)
            let known = Set(Self.all.flatMap(\.flags).flatMap { $0.spellings + $0.defaultsWords })
                .union(["--", "-"])
            for text in texts {
                for span in MarkedText(text).spans where span.style == .literal {
                    let flags = shellWords(span.text).filter { $0.hasPrefix("-") }
                    for flag in flags {
                        #expect(
                            known.contains(flag) || ["cp -R", "tar -C", "sh -c"].contains(span.text),
                            "\(command.invocation): \(flag)")
                    }
                }
            }
            for flag in command.flags {
                // A flag's text names only flags of this verb.
                let named = MarkedText(flag.details).spans.filter { $0.style == .literal && $0.text.hasPrefix("--") }.map(\.text)
                let own = Set(command.flags.flatMap(\.spellings)).union(["--"])
                #expect(named.allSatisfy { own.contains($0) }, "\(command.invocation) --\(flag.name)")
            }
        }
    }

    @Test func textsAreASCIIAndUseTheProjectsWords() {
        let banned = ["folder", "checksum", "hash", "snapshot", "backup", "option", "subcommand"]
        for command in Self.all {
            for form in [HelpPage.Form.short, .long] {
                let text = HelpPage(command, form).text()
                #expect(text.allSatisfy { $0.isASCII }, "\(command.invocation)")
                for word in banned { #expect(!text.lowercased().contains(word), "\(command.invocation): \(word)") }
            }
        }
    }

    @Test func valueNamesSayWhatIsTaken() {
        for (command, flag) in Self.flags {
            guard let value = flag.value else { continue }
            if value.name.contains("|") {
                #expect(value.form == .words(value.name.split(separator: "|").map(String.init)), "\(flag.name)")
            } else {
                #expect(value.name.allSatisfy { $0.isUppercase || $0 == "=" }, "\(flag.name)")
            }
            // If the name does not show the words, the texts do.
            if case .words(let words) = value.form, !value.name.contains("|") {
                for word in words {
                    #expect(
                        flag.summary.contains(word) && flag.details.contains("`\(word)`"), "\(command.invocation) \(flag.name)")
                }
            }
            #expect(value.isRepeatable == flag.details.hasSuffix("Repeatable."), "\(flag.name)")
            #expect(value.isRepeatable == flag.summary.hasSuffix("(repeatable)"), "\(flag.name)")
        }
    }

    @Test func onlyTheLastPositionalsMayBeMissing() {
        for form in CommandTable.capsule.verbs.flatMap(\.forms) {
            let arities = form.positionals.map(\.arity)
            let rest = Array(arities.drop { $0 == .one || $0 == .some })
            #expect([[], [.optional], [.any], [.optional, .any], [.program], [.optionalProgram]].contains(rest), "\(form.id)")
            #expect(arities.count { $0 == .some } <= (rest.isEmpty ? 1 : 0), "\(form.id)")
        }
    }

    @Test(arguments: all) func constraintsAreAboutItsFlags(command: CommandDefinition) {
        for constraint in command.constraints {
            let uses =
                switch constraint {
                case .conflict(let one, let other, _): [one, other]
                case .requirement(let needed, let use, _): [needed, use]
                case .requirementOfAny(let needed, let use, _): needed + [use]
                case .limit(let use, _, let exception, _, _): [use, exception]
                case .choice(let uses, _, _): uses
                }
            for use in uses {
                #expect(command.flag(use.flag) != nil || use.flag == Positional.newValue.id)
                if case .words(let words)? = command.flag(use.flag)?.value?.form {
                    #expect(Set(words).isSuperset(of: use.values))
                }
            }
        }
    }

    @Test(arguments: all) func everyPageIsComplete(command: CommandDefinition) {
        #expect(!command.description.isEmpty && !command.examples.isEmpty)
        #expect(command.related.isEmpty == (command.verb == nil))
        #expect(command.examples.count <= 4)
        #expect(command.verb == nil || (2...4).contains(command.examples.count))
        #expect(Set(command.statuses.map(\.term)).isSuperset(of: ["0", "2", "64", "130"]))
        #expect(command.environment.map(\.term) == command.environment.map(\.term).sorted())
        for verb in command.related { #expect(CommandTable.capsule.verb(named: verb.utf8) != nil, "\(verb)") }
        #expect(!command.related.contains(command.verb ?? ""))
        let takesContainer = command.forms.flatMap(\.positionals).contains {
            if case .container = $0.form { true } else { false }
        }
        #expect(command.explainsContainers == takesContainer || command.verb == nil)
    }

    @Test(arguments: examples.map { ($0.0.invocation, $0.1) })
    func examplesParse(invocation: String, example: CommandDefinition.Example) throws {
        #expect(example.meaning.hasSuffix(":") && example.meaning.first?.isUppercase == true)
        #expect(example.command.count <= 72, "\(example.command)")
        // The rest of the line belongs to the shell: a pipe, a redirection, a substitution.
        var command = example.command
        if let inner = command.firstRange(of: "$(") { command = String(command[inner.upperBound...].prefix { $0 != ")" }) }
        let words = shellWords(command)
        #expect(words.first == "capsule")
        let own = words.dropFirst().prefix { !["|", "<", ">"].contains($0) }
        switch try CommandLineParser().parse(own.map { Array($0.utf8) }) {
        case .run(let parsed): #expect(invocation == "capsule" || invocation == parsed.definition.invocation)
        case .help: #expect(invocation == "capsule" || invocation == "capsule help")
        case .version, .nothing: Issue.record("\(example.command)")
        }
    }
}
