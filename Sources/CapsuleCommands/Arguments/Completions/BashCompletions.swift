/// Completions for bash, 3.2 (macOS) and later. They need no library.
///
/// If there are no results, readline completes and quotes file names (`complete -o default`). `capsule` quotes its own results, and the
/// script treats them only as text.
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
            echo \(ShellText.quoted(FlagDefinition.common.flatMap(\.spellings).joined(separator: " ")))
        }

        # Asks capsule itself what the command line up to the cursor may go on with: a line for each.
        _capsule_ask() {
            command capsule __complete bash "${COMP_LINE:0:COMP_POINT}" "${COMP_WORDBREAKS-}" </dev/null 2>/dev/null
        }

        # Answers with what completes $2 in the way $1, each with $3 before it.
        _capsule_reply() {
            local IFS=$'\\n' line
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
            command)
                # A program's name, or the path of one, which readline completes.
                if [[ -z $over ]]; then
                    COMPREPLY=($(compgen -W -- -- "$2"))
                elif [[ $2 == */* ]]; then
                    return
                else
                    COMPREPLY=($(compgen -c -- "$2"))
                fi
                ;;
            ask*)
                while IFS= read -r line; do
                    if [[ -n $line ]]; then COMPREPLY[${#COMPREPLY[@]}]="$line"; fi
                done <<< "$(_capsule_ask)"
                if ((${#COMPREPLY[@]} == 0)) && [[ $1 == 'ask files' ]]; then return; fi
                if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[/@,] ]]; then compopt -o nospace 2>/dev/null; fi
                ;;
            esac
            # Not even files, if nothing fits.
            compopt +o default +o bashdefault 2>/dev/null
        }

        _capsule() {
            local line="$COMP_LINE" word verb= form= flag= how= over= place=1 last=-1 cur part i
            local -a words
            COMPREPLY=()
            # bash parts words at = : @ as well: those that follow each other without a space are one.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word="${COMP_WORDS[i]}"
                if [[ $last == -1 || $line == [[:space:]]* ]]; then
                    line="${line#"${line%%[![:space:]]*}"}"
                    last=$((last + 1))
                    words[last]="$word"
                else
                    words[last]="${words[last]}$word"
                fi
                line="${line#"$word"}"
            done
            cur="${words[last]}"
            for ((i = 1; i < last; i++)); do
                word="${words[i]}"
                if [[ -n $flag ]]; then
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
                how="$(_capsule_value "$verb" "$flag")"
                _capsule_reply "$how" "$cur"
            elif [[ -z $over && $cur == --*=* ]]; then
                if how="$(_capsule_value "$verb" "${cur%%=*}")"; then
                    _capsule_reply "$how" "${cur#*=}" "${cur%%=*}="
                fi
            elif [[ -z $over && $cur == -* ]]; then
                _capsule_reply "words $(_capsule_flags "$verb")" "$cur"
            elif [[ -z $verb ]]; then
                _capsule_reply 'words \(table.verbNames.joined(separator: " "))' "$cur"
            else
                how="$(_capsule_argument "$verb${form:+ $form}" "$place")"
                _capsule_reply "$how" "$cur"
            fi
            # Only what stands behind the last parting is replaced; capsule has seen to that itself.
            part="${COMP_WORDS[COMP_CWORD]}"
            if [[ $part == [=:@] ]]; then part=; fi
            part="${cur%"$part"}"
            if [[ -n $part && $how != ask* ]]; then
                for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do COMPREPLY[i]="${COMPREPLY[i]#"$part"}"; done
            fi
        }

        complete -o bashdefault -o default -F _capsule capsule

        """
    }

    private var verbsWithForms: String {
        table.verbs.filter { $0.forms.contains { $0.word != nil } }.compactMap(\.verb).joined(separator: " ")
    }

    /// One line per verb and flag with a value, and one line for each such flag that all verbs have.
    private var valueCases: String {
        let own = table.verbs.flatMap { command in
            command.ownFlags.compactMap { valueCase($0) { "\"\(command.verb ?? "") \($0)\"" } }
        }
        let common = FlagDefinition.common.compactMap { valueCase($0) { "*\" \($0)\"" } }
        return (own + common).joined(separator: "\n")
    }

    private func valueCase(_ flag: FlagDefinition, pattern: (String) -> String) -> String? {
        guard flag.takesNextWord else { return nil }
        return (flag.value?.form.completion).map {
            "    \(flag.spellings.map(pattern).joined(separator: " | "))) echo \(how($0)) ;;"
        }
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
                        let called = form.word.map { verb + " " + $0 } ?? verb
                        let way = how(positional.form.completion)
                        // A repeated argument also takes all later positions, if it is the last.
                        let isRepeated = [.any, .some].contains(positional.arity) && number + 1 == form.positionals.count
                        let line = "    \"\(called) \"\(isRepeated ? "*" : String(number + 1))) echo \(way) ;;"
                        return positional.arity == .program ? line + "\n    \"\(called) \"*) echo files ;;" : line
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

    private func how(_ completion: ValueForm.Completion) -> String {
        switch completion {
        case .asked(orFiles: true): "'ask files'"
        case .asked(orFiles: false): "ask"
        case .command: "command"
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
