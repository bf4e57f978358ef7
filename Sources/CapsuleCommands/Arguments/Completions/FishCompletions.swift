/// Completions for fish 3 and later.
struct FishCompletions: Sendable {
    let table: CommandTable

    var script: String {
        let head = """
            # fish completion for capsule; made by 'capsule generate completions fish'

            # Prints what is typed so far but for flags and their values: the verb, its form, its arguments.
            function __capsule_arguments
                set -l skip 0
                for word in (commandline -opc)[2..-1]
                    if test $skip = 1
                        set skip 0
                        continue
                    end
                    switch $word
                        case \(valueFlags)
                            set skip 1
                        case '-?*'
                        case '*'
                            echo -- $word
                    end
                end
            end

            # Whether the arguments so far begin with the given ones.
            function __capsule_begins
                set -l words (__capsule_arguments)
                set -l length (count $argv)
                test $length = 0; and return 0
                test (count $words) -ge $length; and test "$words[1..$length]" = "$argv"
            end

            # Whether there are as many arguments so far as the number says, and they begin with the rest.
            function __capsule_place
                test (count (__capsule_arguments)) = $argv[1]; and __capsule_begins $argv[2..-1]
            end

            # The same for an argument that may be repeated: as many, or more.
            function __capsule_from
                test (count (__capsule_arguments)) -ge $argv[1]; and __capsule_begins $argv[2..-1]
            end

            # Asks capsule itself what the command line may go on with.
            function __capsule_ask
                set -l last (commandline -ct)
                command capsule __complete fish (commandline -opc)[2..-1] "$last" </dev/null 2>/dev/null
            end

            complete -c capsule -f

            """
        let lines = programLines + table.verbs.flatMap { verbLines($0) }
        return head + lines.joined(separator: "\n") + "\n"
    }

    /// The spellings of all flags that take a value.
    private var valueFlags: String {
        var seen: [String] = []
        for flag in table.all.flatMap(\.flags) where flag.takesNextWord {
            seen += flag.spellings.filter { !seen.contains($0) }
        }
        return seen.joined(separator: " ")
    }

    private var programLines: [String] {
        FlagDefinition.common.map { line(for: $0, when: nil) }
            + table.program.ownFlags.map { line(for: $0, when: "__capsule_place 0") }
            + table.verbs.map { line(for: $0.verb ?? "", $0.summary, when: "__capsule_place 0") }
    }

    private func verbLines(_ command: CommandDefinition) -> [String] {
        let verb = command.verb ?? ""
        let flags = command.ownFlags.map { line(for: $0, when: "__capsule_begins \(verb)") }
        let forms = command.forms.flatMap { form in
            let called = form.word.map { [verb, $0] } ?? [verb]
            let word = form.word.map { line(for: $0, form.summary, when: "__capsule_place 1 \(verb)") }
            return (word.map { [$0] } ?? []) + argumentLines(of: form, called: called)
        }
        return ["", "# capsule \(verb)"] + flags + forms
    }

    private func argumentLines(of form: CommandForm, called: [String]) -> [String] {
        form.positionals.enumerated().compactMap { number, positional in
            if positional.arity == .program { return programLines(number + called.count, called.joined(separator: " ")) }
            guard let how = how(positional.form.completion) else { return nil }
            let isRepeated = positional.arity == .any || positional.arity == .some
            let place =
                "\(isRepeated ? "__capsule_from" : "__capsule_place") \(number + called.count) \(called.joined(separator: " "))"
            return "complete -c capsule -n \(ShellText.quotedForFish(place)) \(how)"
        }
    }

    /// A program after `--`, and files as its arguments.
    private func programLines(_ place: Int, _ called: String) -> String {
        let isProgram = ShellText.quotedForFish("__capsule_place \(place) \(called); and contains -- -- (commandline -opc)")
        let isArgument = ShellText.quotedForFish("__capsule_from \(place + 1) \(called)")
        return "complete -c capsule -n \(isProgram) -a '(__fish_complete_command)'\ncomplete -c capsule -n \(isArgument) -F"
    }

    private func line(for flag: FlagDefinition, when condition: String?) -> String {
        let condition = condition.map { " -n " + ShellText.quotedForFish($0) } ?? ""
        let short = flag.letter.map { " -s \($0)" } ?? ""
        // -r: a value is required. -x: it is required and is not a file.
        let value =
            (flag.value?.form.completion).map { completion in
                " " + (how(completion, isRequired: flag.takesNextWord) ?? "-x")
            } ?? ""
        return "complete -c capsule\(condition)\(short) -l \(flag.name)\(value)"
            + " -d \(ShellText.quotedForFish(flag.summary))"
    }

    private func line(for word: String, _ summary: String, when condition: String) -> String {
        "complete -c capsule -n \(ShellText.quotedForFish(condition)) -a \(word) -d \(ShellText.quotedForFish(summary))"
    }

    /// Quotes words that fish offers without a description. The text after the tab is a word's own description; without a tab, each word
    /// would get that of the flag.
    private static func undescribed(_ words: [String]) -> String {
        ShellText.quotedForFish(words.map { $0 + "\\t" }.joined(separator: " "))
    }

    private func how(_ completion: ValueForm.Completion, isRequired: Bool = false) -> String? {
        switch completion {
        case .nothing, .command: nil
        case .asked(orFiles: true): (isRequired ? "-r " : "") + "-F -a '(__capsule_ask)'"
        case .asked(orFiles: false): (isRequired ? "-x " : "") + "-a '(__capsule_ask)'"
        case .files: isRequired ? "-r -F" : "-F"
        case .directories: (isRequired ? "-x " : "") + "-a '(__fish_complete_directories (commandline -ct))'"
        case .words(let words): (isRequired ? "-x " : "") + "-a \(Self.undescribed(words))"
        }
    }
}
