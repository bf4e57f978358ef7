import Testing

@testable import CapsuleArguments

/// Errors in the command line: status 64, a message on standard error, and nothing on standard output.
@Suite struct UsageTests {
    @Test func aSlipIsRefusedWithAHint() throws {
        try Session(["t/f": "x\n"]).expect(
            """
            [64] $ capsule pakc t
            > capsule: error: unknown verb 'pakc'
            > capsule: hint: did you mean 'pack'?
            [64] $ capsule pack t --forse
            > capsule: error: unknown flag '--forse' for 'pack'
            > capsule: hint: did you mean '--force'?
            [64] $ capsule verify --strcit x
            > capsule: error: unknown flag '--strcit' for 'verify'
            > capsule: hint: did you mean '--strict'?
            [64] $ capsule unpack
            > capsule: error: 'unpack' needs CONTAINER
            > capsule: hint: usage: capsule unpack CONTAINER [PATH]... [FLAG]...
            [64] $ capsule pack
            > capsule: error: 'pack' needs CONTAINER
            > capsule: hint: usage: capsule pack CONTAINER [FLAG]...
            [64] $ capsule pack t u
            > capsule: error: unexpected argument 'u' for 'pack'
            > capsule: hint: usage: capsule pack CONTAINER [FLAG]...
            [64] $ capsule cat t
            > capsule: error: t: 'cat' needs PATH, the file in the container
            > capsule: hint: usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH
            [64] $ capsule pack t --codec lzma
            > capsule: error: invalid value 'lzma' for '--codec': expected gzip or zstd
            [64] $ capsule pack t --level 0
            > capsule: error: invalid value '0' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
            [64] $ capsule pack t --level 13
            > capsule: error: invalid value '13' for '--level': expected a whole number from 1 to 12 with gzip
            > capsule: hint: '--codec zstd' accepts levels from 1 to 19
            [64] $ capsule pack t --codec zstd --level 20
            > capsule: error: invalid value '20' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
            [64] $ capsule pack t --level 30
            > capsule: error: invalid value '30' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
            [64] $ capsule pack t --level x
            > capsule: error: invalid value 'x' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
            [64] $ capsule pack t --level 15
            > capsule: error: invalid value '15' for '--level': expected a whole number from 1 to 12 with gzip
            > capsule: hint: '--codec zstd' accepts levels from 1 to 19
            [64] $ capsule pack t --jobs 0
            > capsule: error: invalid value '0' for '--jobs': expected a whole number from 1 to 256
            [64] $ capsule pack t --label latest
            > capsule: error: invalid value 'latest' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
            [64] $ capsule pack t --label 7
            > capsule: error: invalid value '7' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
            [64] $ capsule pack t --label 'a b'
            > capsule: error: invalid value 'a b' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
            > capsule: hint: write '--label a-b'
            [64] $ capsule pack t --exclude '['
            > capsule: error: [: not a valid pattern: '[' is not closed
            [64] $ capsule pack t --group nothing
            > capsule: error: invalid value 'nothing' for '--group': expected ID=DIR
            [64] $ capsule pack t --json -o -
            > capsule: error: '--output -' and '--json' cannot be used together
            > capsule: hint: both would write to standard output
            [64] $ capsule unpack t -C a -o b
            > capsule: error: '--directory' and '--output' cannot be used together
            > capsule: hint: '--directory' sets the directory of the result, '--output' its path
            [64] $ capsule unpack t --as rar
            > capsule: error: invalid value 'rar' for '--as': expected xcappdata, container, directory, tar.gz, tar.zst, tar or zip
            > capsule: hint: did you mean 'tar'?
            [64] $ capsule ls --color perhaps t
            > capsule: error: invalid value 'perhaps' for '--color': expected auto, always or never
            [64] $ capsule generate completions powershell
            > capsule: error: invalid value 'powershell' for 'bash|zsh|fish': expected bash, zsh or fish
            [64] $ capsule ls 't@' --nonsense
            > capsule: error: unknown flag '--nonsense' for 'ls'
            > capsule: hint: 'capsule ls --help' lists its flags
            [64] $ capsule ls 't/f@a b'
            > capsule: error: t/f: 'a b' is not a version
            > capsule: hint: a version is a number, a label, 'latest', 'first' or '~1'
            [64] $ capsule cat t ../f
            > capsule: error: ../f: is not a path in a container: the path leaves the container with '..'
            > capsule: hint: write it as 'capsule ls' does: no leading '/', no '..'
            [64] $ capsule merge a b
            > capsule: error: 'merge' needs THEIRS
            > capsule: hint: usage: capsule merge BASE OURS THEIRS -o FILE [FLAG]...
            [64] $ CAPSULE_JOBS=none capsule ls t
            > capsule: error: CAPSULE_JOBS is 'none': expected a number from 1 to 256
            $ capsule ls t
            f
            $ ls -A
            t
            """)
    }

    @Test func wordsOfOtherToolsAreUnderstood() throws {
        try Session(["t/f": "x\n"]).expect(
            """
            [64] $ capsule diff t t --names
            > capsule: error: unknown flag '--names' for 'diff'
            > capsule: hint: did you mean '--name-only'?
            [64] $ capsule diff t t -z
            > capsule: error: '--null' needs '--name-only' or '--name-status'
            > capsule: hint: it changes how they print names
            [64] $ capsule diff t t --brief
            > capsule: error: unknown flag '--brief' for 'diff'
            > capsule: hint: did you mean '--quiet'?
            [64] $ capsule restore -n t t
            > capsule: error: unknown flag '-n' for 'restore'
            > capsule: hint: did you mean '--dry-run'?
            [64] $ capsule apply t t -n
            > capsule: error: unknown flag '-n' for 'apply'
            > capsule: hint: did you mean '--dry-run'?
            [64] $ capsule version
            > capsule: error: unknown verb 'version'
            > capsule: hint: use 'capsule --version'
            [64] $ capsule status
            > capsule: error: unknown verb 'status'
            > capsule: hint: did you mean 'diff'?
            [64] $ capsule convert t
            > capsule: error: unknown verb 'convert'
            > capsule: hint: did you mean 'plist convert'?
            [64] $ capsule set t
            > capsule: error: unknown verb 'set'
            > capsule: hint: did you mean 'plist set'?
            [64] $ capsule plist replace t
            > capsule: error: unknown form 'replace' for 'plist': expected lint, get, set, add, append, remove, convert or print
            > capsule: hint: did you mean 'set'?
            [64] $ capsule plist insert t
            > capsule: error: unknown form 'insert' for 'plist': expected lint, get, set, add, append, remove, convert or print
            > capsule: hint: did you mean 'add'?
            [64] $ capsule plist extract t
            > capsule: error: unknown form 'extract' for 'plist': expected lint, get, set, add, append, remove, convert or print
            > capsule: hint: did you mean 'get'?
            [64] $ capsule plist rm t
            > capsule: error: unknown form 'rm' for 'plist': expected lint, get, set, add, append, remove, convert or print
            > capsule: hint: did you mean 'remove'?
            [64] $ capsule plist unset t
            > capsule: error: unknown form 'unset' for 'plist': expected lint, get, set, add, append, remove, convert or print
            > capsule: hint: did you mean 'remove'?
            [64] $ capsule plist type t
            > capsule: error: unknown form 'type' for 'plist': expected lint, get, set, add, append, remove, convert or print
            > capsule: hint: did you mean 'print'?
            """)
    }

    @Test func withoutAVerbTheHelpIsAMessage() throws {
        let outcome = try Session().run("capsule")
        #expect((outcome.status, outcome.text, outcome.errors) == (64, "", HelpPage(.program, .short).text()))
    }

    @Test func whatAVerbNeedsIsNoOption() throws {
        try Session().expect(
            """
            $ capsule help overlay
            capsule overlay: check, show, compose and invert overlays

            SYNOPSIS
                capsule overlay check FILE [--deep] [--define NAME=VALUE]... [--expand]
                    [--on TARGET] [--target PATH]
                capsule overlay show FILE [--full] [--deep]
                capsule overlay compose FILE... -o FILE [-f]
                capsule overlay invert FILE -o FILE [-f]
                capsule overlay identities

            DESCRIPTION
                Check, show, combine and invert overlays. An overlay is a file that
                describes changes to a property list or a container. capsule diff --overlay
                writes overlays, capsule apply applies them, and capsule help overlays
                describes what they contain.

                check reports errors with line and column. With --on, it also applies the
                overlay twice in memory to a property list. An overlay in a build script
                should change nothing the second time.

                show prints one line for each operation and each file. For a file, A is
                added, D deleted, M modified, T a different type, and '=' a file that must
                be as the overlay expects before anything is changed.

                compose writes one overlay that does what several overlays do in order.
                invert writes an overlay that undoes another. To be inverted, an overlay
                must contain the old values. Overlays from capsule diff do, except with
                --one-way or --plain.

            FORMS
                check         check that FILE is a valid overlay
                show          print what FILE does, one line per step
                compose       combine overlays, in order, into one
                invert        make an overlay that undoes FILE
                identities    print how elements of known arrays are paired

            FLAGS
              Output
                -f, --force
                    Replace an existing FILE of --output. A capsule with several versions, a
                    damaged one, a conflicts file of capsule merge that has been edited, a
                    file that can't be read, and a file that the command reads are never
                    replaced.

                --full
                    Show complete values. Without this flag, long values are shortened, and
                    the output marks that.

                -o, --output FILE
                    Write the overlay to FILE. An overlay that contains files is a capsule,
                    and its name should end in .capsule. '-' is standard output.

              Overlays
                --deep
                    Read a JSON object as a partial property list. Without this flag, it is
                    a JSON Merge Patch (RFC 7396).

                --define NAME=VALUE
                    Set NAME to VALUE, for conditions and for $(NAME) in overlays. This has
                    precedence over the environment. Repeatable.

                --expand
                    Replace $(NAME) and ${NAME} in the overlay's values, as Xcode does:
                    $(PRODUCT_NAME:rfc1034identifier). '$$' is a dollar sign. A name without
                    a value is an error. Keys, and values that the target already has, are
                    not expanded.

                --on TARGET
                    Apply FILE to the property list TARGET twice, in memory, and compare the
                    result with that of applying it once. If they differ, the exit status is
                    1. TARGET is not changed.

                --target PATH
                    Apply only the part of the overlay whose Path is PATH. Required if
                    TARGET is a property list and the overlay has parts with paths. With a
                    container: apply an overlay without paths to the property list PATH in
                    it.

            EXAMPLES
                Check an overlay before you use it in a build script:
                    capsule overlay check Testing.plist --on Info.plist

                Make an overlay that undoes the changes of a run:
                    capsule overlay invert run.plist -o back.plist

                See how the elements of arrays are paired:
                    capsule overlay identities

            EXIT STATUS
                0             Success. For check: the overlay is OK.
                1             With --on: applied again, the overlay would fail or make
                              further changes.
                2             Failure; a message on standard error says why.

            ENVIRONMENT
                SOURCE_DATE_EPOCH
                    Seconds since 1970. Recorded instead of the current time. With it, the
                    same input and the same flags always give the same bytes.

            SEE ALSO
                capsule(1), capsule-apply(1), capsule-diff(1), capsule-plist(1)

            capsule --help lists what all verbs share: flags, exit statuses, variables.
            $ capsule help overlay invert
            capsule overlay invert: make an overlay that undoes FILE

            SYNOPSIS
                capsule overlay invert FILE -o FILE [-f]

            DESCRIPTION
                Check, show, combine and invert overlays. An overlay is a file that
                describes changes to a property list or a container. capsule diff --overlay
                writes overlays, capsule apply applies them, and capsule help overlays
                describes what they contain.

                check reports errors with line and column. With --on, it also applies the
                overlay twice in memory to a property list. An overlay in a build script
                should change nothing the second time.

                show prints one line for each operation and each file. For a file, A is
                added, D deleted, M modified, T a different type, and '=' a file that must
                be as the overlay expects before anything is changed.

                compose writes one overlay that does what several overlays do in order.
                invert writes an overlay that undoes another. To be inverted, an overlay
                must contain the old values. Overlays from capsule diff do, except with
                --one-way or --plain.

            FLAGS
              Output
                -f, --force
                    Replace an existing FILE of --output. A capsule with several versions, a
                    damaged one, a conflicts file of capsule merge that has been edited, a
                    file that can't be read, and a file that the command reads are never
                    replaced.

                -o, --output FILE
                    Write the overlay to FILE. An overlay that contains files is a capsule,
                    and its name should end in .capsule. '-' is standard output.

            EXAMPLES
                Make an overlay that undoes the changes of a run:
                    capsule overlay invert run.plist -o back.plist

            EXIT STATUS
                0             Success. For check: the overlay is OK.
                1             With --on: applied again, the overlay would fail or make
                              further changes.
                2             Failure; a message on standard error says why.

            ENVIRONMENT
                SOURCE_DATE_EPOCH
                    Seconds since 1970. Recorded instead of the current time. With it, the
                    same input and the same flags always give the same bytes.

            SEE ALSO
                capsule(1), capsule-overlay(1), capsule-apply(1), capsule-diff(1),
                capsule-plist(1)

            capsule --help lists what all verbs share: flags, exit statuses, variables.
            """)
    }
}
