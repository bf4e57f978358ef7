/// The script with which a shell asks `capsule __complete` what an argument may go on with (see ``Completer``). The first line of
/// an answer says what the shell itself completes if no words follow. A tab separates a word from its description.
package struct Completions: Sendable {
    /// The script, to be sourced or installed where the shell finds it.
    package let script: String

    package init(for shell: Shell) {
        switch shell {
        case .bash: script = Self.bash
        case .zsh: script = Self.zsh
        case .fish: script = Self.fish
        }
    }

    /// For bash 3.2 (macOS) and later, without a library. `capsule` quotes its words; readline completes and quotes names of files.
    private static let bash = #"""
        # bash completion for capsule; made by 'capsule generate completions bash'
        _capsule() {
            local IFS=$'\n' how= line cur="${COMP_WORDS[COMP_CWORD]}"
            if [[ $cur == [=:@] ]]; then cur=; fi
            COMPREPLY=()
            while IFS= read -r line; do
                if [[ -z $how ]]; then how="$line"; else COMPREPLY[${#COMPREPLY[@]}]="$line"; fi
            done <<< "$(command capsule __complete bash "${COMP_LINE:0:COMP_POINT}" "${COMP_WORDBREAKS-}" </dev/null 2>/dev/null)"
            if ((${#COMPREPLY[@]} == 0)); then
                case "$how" in
                files) return ;;
                directories)
                    compopt -o filenames 2>/dev/null
                    COMPREPLY=($(compgen -d -- "$cur"))
                    ;;
                program) COMPREPLY=($(compgen -c -- "$cur")) ;;
                esac
            elif ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[/@,:] ]]; then
                compopt -o nospace 2>/dev/null
            fi
            # Not even files, if nothing fits.
            compopt +o default +o bashdefault 2>/dev/null
        }

        complete -o bashdefault -o default -F _capsule capsule

        """#

    /// For zsh, for a file `_capsule` in a directory of `fpath`, or to be sourced after `compinit`.
    private static let zsh = #"""
        #compdef capsule
        # zsh completion for capsule; made by 'capsule generate completions zsh'
        _capsule() {
            local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX" entry name
            local -a answer shown
            answer=("${(@f)$(command capsule __complete zsh "$line" '' </dev/null 2>/dev/null)}")
            for entry in "${(@)answer[2,-1]}"; do
                name="${entry%%$'\t'*}"
                if [[ $entry == *$'\t'* ]]; then
                    shown=("$name  -- ${entry#*$'\t'}")
                    compadd -Q -U -l -d shown -- "$name"
                elif [[ $name == *[/@,:] ]]; then
                    compadd -Q -U -S '' -- "$name"
                else
                    compadd -Q -U -- "$name"
                fi
            done
            (( $#answer > 1 )) && return 0
            [[ $PREFIX == --*=* ]] && compset -P '*='
            case $answer[1] in
            files) _files ;;
            directories) _files -/ ;;
            program) _command_names -e ;;
            *) return 1 ;;
            esac
        }

        if [[ $funcstack[1] == _capsule ]]; then
            _capsule "$@"
        else
            compdef _capsule capsule
        fi

        """#

    /// For fish 3 and later, which quotes the words itself.
    private static let fish = #"""
        # fish completion for capsule; made by 'capsule generate completions fish'
        function __capsule_complete
            set -l last (commandline -ct)
            set -l answer (command capsule __complete fish (commandline -opc)[2..-1] "$last" </dev/null 2>/dev/null)
            set -l flag (string match -r -- '^--[^=]*=' "$last")
            set -l value (string replace -- "$flag" '' "$last")
            if set -q answer[2]
                printf '%s\n' $answer[2..-1]
            else
                switch "$answer[1]"
                    case files
                        printf "$flag%s\n" (__fish_complete_path "$value")
                    case directories
                        printf "$flag%s\n" (__fish_complete_directories "$value" '')
                    case program
                        __fish_complete_command
                end
            end
        end

        complete -c capsule -f -a '(__capsule_complete)'

        """#
}
