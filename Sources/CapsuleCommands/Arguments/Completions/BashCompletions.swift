/// Completions for bash, 3.2 (macOS) and later; they need no library.
///
/// Files are left to readline, which is told to by an empty answer (`complete -o default`): it quotes them as it should.
struct BashCompletions: Sendable {
    let table: CommandTable

    var script: String {
        """
        # bash completion for capsule; made by 'capsule generate completions bash'

        # Prints how the value of flag $2 of verb $1 is completed; fails if it takes none.
        _capsule_value() {
            case "$1 $2" in
        \(valueCases)
            *) return 1 ;;
            esac
        }

        # Prints how the argument in place $2 of verb $1 is completed; $1 may have a form after it.
        _capsule_argument() {
            case "$1 $2" in
        \(argumentCases)
            *) echo nothing ;;
            esac
        }

        # Prints the flags of verb $1.
        _capsule_flags() {
            case "$1" in
        \(flagCases)
            esac
            echo \(ShellText.quoted(Flag.common.flatMap(\.spellings).joined(separator: " ")))
        }

        # Answers with what completes $2 in the way $1, each with $3 before it.
        _capsule_reply() {
            local IFS=$'\\n'
            case "$1" in
            files) return ;;
            directories)
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -P "${3-}" -d -- "$2"))
                ;;
            words\\ *)
                IFS=$' \\t\\n'
                COMPREPLY=($(compgen -P "${3-}" -W "${1#words }" -- "$2"))
                ;;
            esac
            # Not even files, if nothing fits.
            compopt +o default +o bashdefault 2>/dev/null
        }

        _capsule() {
            local cur="${COMP_WORDS[COMP_CWORD]}" word verb= form= flag= how= over= place=1 i
            COMPREPLY=()
            for ((i = 1; i < COMP_CWORD; i++)); do
                word="${COMP_WORDS[i]}"
                if [[ $word == '=' && -n $flag ]]; then
                    # bash cuts --flag=value into three words
                    continue
                elif [[ -n $flag ]]; then
                    flag=
                elif [[ -z $over && $word == -- ]]; then
                    over=1
                elif [[ -z $over && $word == -?* ]]; then
                    if _capsule_value "$verb" "$word" >/dev/null; then flag="$word"; fi
                elif [[ -z $verb ]]; then
                    verb="$word"
                elif [[ -z $form && " \(verbsWithForms) " == *" $verb "* ]]; then
                    form="$word"
                else
                    place=$((place + 1))
                fi
            done
            if [[ -n $flag ]]; then
                if [[ $cur == '=' ]]; then cur=; fi
                _capsule_reply "$(_capsule_value "$verb" "$flag")" "$cur"
            elif [[ -z $over && $cur == --*=* ]]; then
                if how="$(_capsule_value "$verb" "${cur%%=*}")"; then
                    _capsule_reply "$how" "${cur#*=}" "${cur%%=*}="
                fi
            elif [[ -z $over && $cur == -* ]]; then
                _capsule_reply "words $(_capsule_flags "$verb")" "$cur"
            elif [[ -z $verb ]]; then
                _capsule_reply 'words \(table.verbNames.joined(separator: " "))' "$cur"
            else
                _capsule_reply "$(_capsule_argument "$verb${form:+ $form}" "$place")" "$cur"
            fi
        }

        complete -o bashdefault -o default -F _capsule capsule

        """
    }

    private var verbsWithForms: String {
        table.verbs.filter { $0.forms.contains { $0.word != nil } }.compactMap(\.verb).joined(separator: " ")
    }

    /// One line per verb and flag with a value, and one for a flag that all have.
    private var valueCases: String {
        let own = table.verbs.flatMap { command in
            command.ownFlags.compactMap { valueCase($0) { "\"\(command.verb ?? "") \($0)\"" } }
        }
        let common = Flag.common.compactMap { valueCase($0) { "*\" \($0)\"" } }
        return (own + common).joined(separator: "\n")
    }

    private func valueCase(_ flag: Flag, pattern: (String) -> String) -> String? {
        guard flag.takesNextWord else { return nil }
        return flag.value.map { "    \(flag.spellings.map(pattern).joined(separator: " | "))) echo \(how($0.form)) ;;" }
    }

    /// One line per verb (and form) and positional.
    private var argumentCases: String {
        let lines = table.verbs.flatMap { command in
            let verb = command.verb ?? ""
            let words = command.forms.compactMap(\.word)
            let first = words.isEmpty ? [] : ["    \"\(verb) 1\") echo '\(Self.words(words))' ;;"]
            return first
                + command.forms.flatMap { form in
                    form.positionals.enumerated().map { number, positional in
                        // What takes any number of arguments takes every later one too; it is always the last.
                        let place = [.any, .program].contains(positional.arity) ? "*" : String(number + 1)
                        let called = form.word.map { verb + " " + $0 } ?? verb
                        return "    \"\(called) \"\(place)) echo \(how(positional.form)) ;;"
                    }
                }
        }
        return lines.joined(separator: "\n")
    }

    private var flagCases: String {
        table.all.map { command in
            let spellings = command.ownFlags.flatMap { $0.spellings + $0.spellingsWithWords }.joined(separator: " ")
            return "    \(ShellText.quoted(command.verb ?? ""))) echo \(ShellText.quoted(spellings)) ;;"
        }.joined(separator: "\n")
    }

    private func how(_ form: ValueForm) -> String {
        switch form.completion(in: table) {
        case .nothing: "nothing"
        case .files: "files"
        case .directories: "directories"
        case .words(let words): ShellText.quoted(Self.words(words))
        }
    }

    private static func words(_ words: [String]) -> String {
        "words " + words.joined(separator: " ")
    }
}
