/// Completions for zsh, for a file `_capsule` in a directory of `fpath`, or to be sourced after `compinit`.
struct ZshCompletions: Sendable {
    let table: CommandTable

    var script: String {
        """
        #compdef capsule
        # zsh completion for capsule; made by 'capsule generate completions zsh'

        # Asks capsule itself what the command line up to the cursor may go on with. Its answers are quoted already.
        _capsule_ask() {
            local -a found open
            found=("${(@f)$(command capsule __complete zsh "$capsule_typed" '' </dev/null 2>/dev/null)}")
            found=("${(@)found:#}")
            open=("${(@M)found:#*[/@,]}")
            found=("${(@)found:#*[/@,]}")
            (( $#open + $#found )) || return 1
            (( $#open )) && compadd -Q -U -S '' -- "${(@)open}"
            (( $#found )) && compadd -Q -U -- "${(@)found}"
            return 0
        }

        # The same, or files where it knows nothing.
        _capsule_ask_or_files() {
            _capsule_ask || _files
        }

        # Behind '--' a program, then files.
        _capsule_command() {
            local over=${words[(i)--]}
            if (( CURRENT <= over )); then
                compadd -- --
            elif (( CURRENT > over + 1 )) || [[ $PREFIX == */* ]]; then
                _files
            else
                _command_names -e
            fi
        }

        _capsule() {
            # As it is typed; what follows takes words away from it.
            local capsule_typed="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX"
            local curcontext="$curcontext" context state state_descr line ret=1
            typeset -A opt_args
            local -a common verbs
            common=(
        \(lines(FlagDefinition.common.map { spec(of: $0, in: table.program) }, by: 8))
            )
            _arguments -s -S -C $common \\
        \(lines(specs(of: table.program), by: 8))
                '1:verb:->verb' \\
                '*::argument:->argument' && ret=0
            case $state in
            verb)
                verbs=(
        \(lines(table.verbs.map { ShellText.quoted("\($0.verb ?? ""):\($0.summary)") }, by: 12))
                )
                _describe -t verbs verb verbs && ret=0
                ;;
            argument)
                curcontext="${curcontext%:*:*}:capsule-$line[1]:"
                case $line[1] in
        \(table.verbs.map(verbCase).joined(separator: "\n"))
                esac
                ;;
            esac
            return ret
        }

        if [[ $funcstack[1] == _capsule ]]; then
            _capsule "$@"
        else
            compdef _capsule capsule
        fi

        """
    }

    /// Returns the branch of `case` for a verb.
    private func verbCase(_ command: CommandDefinition) -> String {
        let isPlain = command.forms.allSatisfy { $0.word == nil }
        let body = isPlain ? command.forms.flatMap { arguments(of: $0, command) } : formCases(of: command)
        return lines(["\(command.verb ?? ""))"] + indented(body, by: 4) + ["    ;;"], by: 8)
    }

    /// Returns the lines for a verb whose first argument selects a form.
    private func formCases(of command: CommandDefinition) -> [String] {
        let cases = command.forms.flatMap { form in
            ["\(form.word ?? ""))"] + indented(arguments(of: form, command), by: 4) + ["    ;;"]
        }
        let forms = command.forms.map { ShellText.quoted("\($0.word ?? ""):\($0.summary)") }
        var lines = ["_arguments -s -S -C $common \\"]
        lines += indented(specs(of: command), by: 4)
        lines += ["    '1:form:->form' \\", "    '*::argument:->formargument' && ret=0", "case $state in", "form)"]
        lines += ["    local -a forms", "    forms=("]
        lines += indented(forms, by: 8)
        lines += ["    )", "    _describe -t forms form forms && ret=0", "    ;;", "formargument)", "    case $line[1] in"]
        lines += indented(cases, by: 4)
        lines += ["    esac", "    ;;", "esac"]
        return lines
    }

    /// Returns the call of `_arguments` for a form.
    private func arguments(of form: CommandForm, _ command: CommandDefinition) -> [String] {
        let positionals = form.positionals.enumerated().map { number, positional in
            let place =
                switch positional.arity {
                case .one: "\(number + 1):"
                case .optional: "\(number + 1)::"
                case .any, .some, .program: "*:"
                }
            let end = number + 1 == form.positionals.count ? " && ret=0" : " \\"
            return ShellText.quoted("\(place)\(Self.escaped(positional.name)):\(action(positional.form.completion))") + end
        }
        return ["_arguments -s -S $common \\"] + indented(specs(of: command) + positionals, by: 4)
    }

    private func indented(_ lines: [String], by count: Int) -> [String] {
        lines.map { String(repeating: " ", count: count) + $0 }
    }

    private func lines(_ lines: [String], by count: Int) -> String {
        indented(lines, by: count).joined(separator: "\n")
    }

    /// Returns a line of `_arguments` for each of the command's own flags.
    private func specs(of command: CommandDefinition) -> [String] {
        command.ownFlags.map { "\(spec(of: $0, in: command)) \\" }
    }

    /// `'(-o --output)'{-o+,--output=}'[what it does]:FILE:_files'`
    private func spec(of flag: FlagDefinition, in command: CommandDefinition) -> String {
        let isRepeatable = flag.value?.isRepeatable == true
        if let value = flag.value, value.isOptional { return optionalSpec(of: flag, value, in: command) }
        let isQuestion = flag.id == Flag.help.id || flag.id == Flag.version.id
        let completion = flag.value?.form.completion ?? .nothing
        let value = flag.value.map { ":\(Self.escaped($0.name)):\(action(completion))" } ?? ""
        let tail = ShellText.quoted("[\(Self.escaped(flag.summary))]\(value)")
        let long = flag.longSpelling + (flag.value == nil ? "" : "=")
        let short = flag.shortSpelling.map { $0 + (flag.value == nil ? "" : "+") }
        let excluded = isQuestion ? "(- *)" : "(\((flag.spellings + rivals(of: flag, in: command)).joined(separator: " ")))"
        let head = isRepeatable ? "'*'" : ShellText.quoted(excluded)
        return short.map { "\(head){\($0),\(long)}\(tail)" } ?? "\(head)\(long)\(tail)"
    }

    /// `'(-f --force)-f[what it does]' '(-f --force)--force=-[what it does]::all:(all)'`: the value must be in the same word.
    private func optionalSpec(of flag: FlagDefinition, _ value: FlagDefinition.Value, in command: CommandDefinition) -> String {
        let excluded = "(\((flag.spellings + rivals(of: flag, in: command)).joined(separator: " ")))"
        let summary = "[\(Self.escaped(flag.summary))]"
        let long = ShellText.quoted(
            "\(excluded)\(flag.longSpelling)=-\(summary)::\(Self.escaped(value.name)):\(action(flag.value?.form.completion ?? .nothing))"
        )
        return flag.shortSpelling.map { ShellText.quoted(excluded + $0 + summary) + " " + long } ?? long
    }

    /// Returns the spellings of the flags that can't be used with `flag`, whatever their values.
    private func rivals(of flag: FlagDefinition, in command: CommandDefinition) -> [String] {
        command.constraints.flatMap { constraint -> [String] in
            guard case .conflict(let one, let other, _) = constraint, one.values.isEmpty, other.values.isEmpty else { return [] }
            let rival = one.flag == flag.id ? other.flag : other.flag == flag.id ? one.flag : nil
            return rival.flatMap { command.flag($0) }?.spellings ?? []
        }
    }

    private func action(_ completion: ValueForm.Completion) -> String {
        switch completion {
        case .asked(orFiles: true): "_capsule_ask_or_files"
        case .asked(orFiles: false): "_capsule_ask"
        case .command: "_capsule_command"
        case .nothing: " "
        case .files: "_files"
        case .directories: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// Escapes text in a spec, where colons and brackets are separators.
    private static func escaped(_ text: String) -> String {
        text.map { ":[]\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
