import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands
@testable import CapsuleCore

/// Invalid command lines and their messages.
@Suite struct UsageErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: UsageError.Code
        let line: String
        let message: String
        let hint: String?

        var testDescription: String { line }
    }

    private static let codes: [Substring: UsageError.Code] = [
        "unknownVerb": .unknownVerb, "unknownForm": .unknownForm, "unknownFlag": .unknownFlag, "missingValue": .missingValue,
        "unexpectedValue": .unexpectedValue, "invalidValue": .invalidValue, "missingArgument": .missingArgument,
        "unexpectedArgument": .unexpectedArgument, "conflict": .conflict,
    ]

    /// The code, the command line, the message and the hint of each case.
    static let cases = """
        unknownVerb | pakc X | unknown verb 'pakc' | did you mean 'pack'?
        unknownVerb | extract X | unknown verb 'extract' | did you mean 'unpack'?
        unknownVerb | zzzzzz | unknown verb 'zzzzzz' | 'capsule -h' lists the verbs
        unknownVerb | help unpakc | no help on 'unpakc' | did you mean 'unpack'?
        unknownVerb | help overlys | no help on 'overlys' | did you mean 'overlays' or 'overlay'?
        unknownVerb | help get | no help on 'get' | did you mean 'plist get'?
        unknownVerb | help expect | no help on 'expect' | did you mean 'expectations'?
        unknownVerb | help extract | no help on 'extract' | did you mean 'unpack'?
        unknownVerb | help qqqqqqqq | no help on 'qqqqqqqq' | 'capsule help' lists the topics
        unknownForm | help plist gte | unknown form 'gte' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'get'?
        unexpectedArgument | help rules set | unexpected argument 'set' for 'help' | usage: capsule help [TOPIC]... [FLAG]...
        unexpectedArgument | help plist get x | unexpected argument 'x' for 'help' | usage: capsule help [TOPIC]... [FLAG]...
        unknownVerb | '' X | unknown verb '' | 'capsule -h' lists the verbs
        unknownForm | generate mann | unknown form 'mann' for 'generate': expected man or completions | did you mean 'man'?
        unknownForm | generate x | unknown form 'x' for 'generate': expected man or completions | usage: capsule generate man [DIR] [FLAG]..., or capsule generate completions bash|zsh|fish [FLAG]...
        unknownForm | plist gte | unknown form 'gte' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'get'?
        unknownFlag | plist get X /a --unarchive | 'plist get' does not take '--unarchive' | it belongs to 'capsule plist print'
        unknownFlag | plist lint X -o y | 'plist lint' does not take '--output' | it belongs to 'capsule plist set', 'capsule plist add', 'capsule plist append', 'capsule plist remove' or 'capsule plist convert'
        missingArgument | plist set X /a | 'plist set' needs --bool, --data, --date, --from-json, --hex, --integer, --real, --string or VALUE | the flag sets the type of the new value: give exactly one
        conflict | plist set X /a --bool yes --string a | '--bool' and '--string' cannot be used together | the flag sets the type of the new value: give exactly one
        conflict | plist set X /a b --string a | '--string' and 'VALUE' cannot be used together | the flag sets the type of the new value: give exactly one
        missingValue | plist set X /a -int | flag '-int' needs a value: UTF-8 text without control characters | 'capsule plist --help' lists its flags
        missingArgument | merge Info.plist Over.plist | 'merge' needs THEIRS | 'capsule apply Over.plist Info.plist' changes Info.plist as Over.plist says
        missingArgument | merge 'My Over.plist' App/Info.plist | 'merge' needs THEIRS | 'capsule apply My\\ Over.plist App/Info.plist' changes App/Info.plist as My\\ Over.plist says
        missingArgument | merge A.plist B.plist | 'merge' needs THEIRS | 'capsule apply OVERLAY TARGET' changes TARGET as OVERLAY says
        unexpectedArgument | restore X live Documents | unexpected argument 'Documents' for 'restore' | 'capsule restore X live --only Documents' restores only this path
        unexpectedArgument | restore X 'Documents/a b' live | unexpected argument 'live' for 'restore' | 'capsule restore X live --only Documents/a\\ b' restores only this path
        missingArgument | undo live | 'undo' needs TARGET | 'restore', 'apply' and 'drop' write FILE with '--undo FILE'; usage: capsule undo FILE TARGET [FLAG]...
        unexpectedArgument | pack X g.capsule --append | unexpected argument 'g.capsule' for 'pack' | 'capsule pack X --append -o g.capsule'
        unexpectedArgument | pack A B -o both.capsule | unexpected argument 'B' for 'pack' | a capsule has one container per version; add the second with 'capsule pack B --append -o both.capsule'
        invalidValue | pack X --label 'after login' | invalid value 'after login' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved | write '--label after-login'
        missingArgument | plist set X | 'plist set' needs POINTER | 'capsule plist -h' shows the usage
        unexpectedArgument | plist get X /a b | unexpected argument 'b' for 'plist get' | 'capsule plist -h' shows the usage
        missingArgument | plist | 'plist' needs lint, get, set, add, append, remove, convert or print | 'capsule plist -h' shows the usage
        unknownFlag | pack X --forse | unknown flag '--forse' for 'pack' | did you mean '--force'?
        unknownFlag | pack X --forse=1 | unknown flag '--forse' for 'pack' | did you mean '--force'?
        unknownFlag | pack X --out=a | unknown flag '--out' for 'pack' | did you mean '--output'?
        unknownFlag | pack X -force | unknown flag '-force' for 'pack' | did you mean '--force'?
        unknownFlag | pack X --zzzzzzz | unknown flag '--zzzzzzz' for 'pack' | 'capsule pack --help' lists its flags
        unknownFlag | pack X -x | unknown flag '-x' for 'pack' | 'capsule pack --help' lists its flags
        unknownFlag | pack X -fx | unknown flag '-x' for 'pack' | 'capsule pack --help' lists its flags
        unknownFlag | pack X -\u{E9} | unknown flag '-\u{E9}' for 'pack' | 'capsule pack --help' lists its flags
        unknownFlag | pack --version | unknown flag '--version' for 'pack' | use it without a verb: 'capsule --version'
        unknownFlag | --force pack X | unknown flag '--force' | put the flags of a verb after the verb
        unknownFlag | --fold-wal pack X | unknown flag '--fold-wal' | put the flags of a verb after the verb
        unknownFlag | pack X --fold-wl | unknown flag '--fold-wl' for 'pack' | did you mean '--fold-wal'?
        unknownFlag | pack X -fold-wal | unknown flag '-fold-wal' for 'pack' | did you mean '--fold-wal'?
        unexpectedValue | pack X --fold-wal=yes | flag '--checkpoint-wal' does not take a value, but has 'yes'
        unknownFlag | --verson | unknown flag '--verson' | did you mean '--version'?
        unknownFlag | --zzzzzz | unknown flag '--zzzzzz' | 'capsule --help' lists the flags that can precede a verb
        missingValue | pack X -o | flag '-o' needs a value: a file name | 'capsule pack --help' lists its flags
        missingValue | pack X --codec | flag '--codec' needs a value: gzip or zstd | 'capsule pack --help' lists its flags
        unexpectedValue | pack X --force=all | flag '--force' does not take a value, but has 'all'
        unexpectedValue | pack X --strict=yes | flag '--strict' does not take a value, but has 'yes'
        unexpectedValue | pack X --help=all | flag '--help' does not take a value, but has 'all'
        invalidValue | pack X --codec zst | invalid value 'zst' for '--codec': expected gzip or zstd | did you mean 'zstd'?
        invalidValue | pack X --codec lz4 | invalid value 'lz4' for '--codec': expected gzip or zstd
        invalidValue | pack X -j 0 | invalid value '0' for '-j': expected a whole number from 1 to 256
        invalidValue | pack X -j1x | invalid value '1x' for '-j': expected a whole number from 1 to 256
        invalidValue | ls X --jobs= | invalid value '' for '--jobs': expected a whole number from 1 to 256
        invalidValue | ls X --jobs=-1 | invalid value '-1' for '--jobs': expected a whole number from 1 to 256
        invalidValue | ls X --jobs 99999999999999999999 | invalid value '99999999999999999999' for '--jobs': expected a whole number from 1 to 256
        invalidValue | repair X --lock-timeout -1 | invalid value '-1' for '--lock-timeout': expected a number of seconds from 0 to 86400
        invalidValue | repair X --lock-timeout .5 | invalid value '.5' for '--lock-timeout': expected a number of seconds from 0 to 86400
        invalidValue | repair X --lock-timeout 86400.5 | invalid value '86400.5' for '--lock-timeout': expected a number of seconds from 0 to 86400
        invalidValue | pack X --label latest | invalid value 'latest' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
        invalidValue | pack X --label 12 | invalid value '12' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
        invalidValue | pack X --label '' | invalid value '' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
        invalidValue | pack X --label a/b | invalid value 'a/b' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
        invalidValue | pack X --note 'a\u{1}b' | invalid value 'a\\x01b' for '--note': expected UTF-8 text without control characters
        invalidValue | pack X --exclude '' | invalid value '' for '--exclude': expected a non-empty pattern
        invalidValue | pack X --group Dir | invalid value 'Dir' for '--group': expected ID=DIR
        invalidValue | pack X --group =Dir | invalid value '=Dir' for '--group': expected ID=DIR
        invalidValue | pack X --group id= | invalid value 'id=' for '--group': expected ID=DIR
        invalidValue | pack X --output= | invalid value '' for '--output': expected a file name
        invalidValue | pack '' | invalid value '' for 'CONTAINER': expected a container
        invalidValue | generate completions bsh | invalid value 'bsh' for 'bash|zsh|fish': expected bash, zsh or fish | did you mean 'bash' or 'zsh'?
        invalidValue | pack X --level 13 | invalid value '13' for '--level': expected a whole number from 1 to 12 with gzip | '--codec zstd' accepts levels from 1 to 19
        invalidValue | pack X --codec zstd --level 20 | invalid value '20' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
        missingArgument | pack | 'pack' needs CONTAINER | usage: capsule pack CONTAINER [FLAG]...
        missingArgument | cat | 'cat' needs CONTAINER | usage: capsule cat CONTAINER [PATH] [FLAG]...
        missingArgument | generate | 'generate' needs man or completions | usage: capsule generate man [DIR] [FLAG]..., or capsule generate completions bash|zsh|fish [FLAG]...
        unexpectedArgument | verify a b | unexpected argument 'b' for 'verify' | usage: capsule verify FILE [FLAG]...
        unexpectedArgument | plist print X p | unexpected argument 'p' for 'plist print' | 'X:p' names a property list in a container
        unexpectedArgument | help pack ls | unexpected argument 'ls' for 'help' | usage: capsule help [TOPIC]... [FLAG]...
        conflict | unpack X -C a -o b | '--directory' and '--output' cannot be used together | '--directory' sets the directory of the result, '--output' its path
        conflict | unpack X -o - | '--output -' needs '--as tar.gz|tar.zst|tar|zip' | only an archive can go to standard output
        conflict | unpack X -o - --as directory | '--output -' needs '--as tar.gz|tar.zst|tar|zip' | only an archive can go to standard output
        conflict | pack X -o - --json | '--output -' and '--json' cannot be used together | both would write to standard output
        conflict | info X --json --plist | '--plist' and '--json' cannot be used together | both print the manifest
        conflict | ls X -qv | '--quiet' and '--verbose' cannot be used together
        conflict | -q ls X -v | '--quiet' and '--verbose' cannot be used together
        unknownFlag | verify --strcit x | unknown flag '--strcit' for 'verify' | did you mean '--strict'?
        missingArgument | unpack | 'unpack' needs CONTAINER | usage: capsule unpack CONTAINER [PATH]... [FLAG]...
        unexpectedArgument | pack t u | unexpected argument 'u' for 'pack' | usage: capsule pack CONTAINER [FLAG]...
        invalidValue | pack t --codec lzma | invalid value 'lzma' for '--codec': expected gzip or zstd
        invalidValue | pack t --level 0 | invalid value '0' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
        invalidValue | pack t --level 30 | invalid value '30' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
        invalidValue | pack t --level x | invalid value 'x' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd
        invalidValue | pack t --level 15 | invalid value '15' for '--level': expected a whole number from 1 to 12 with gzip | '--codec zstd' accepts levels from 1 to 19
        invalidValue | pack t --jobs 0 | invalid value '0' for '--jobs': expected a whole number from 1 to 256
        invalidValue | pack t --label 7 | invalid value '7' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved
        invalidValue | pack t --label 'a b' | invalid value 'a b' for '--label': expected letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved | write '--label a-b'
        invalidValue | pack t --group nothing | invalid value 'nothing' for '--group': expected ID=DIR
        invalidValue | unpack t --as rar | invalid value 'rar' for '--as': expected xcappdata, container, directory, tar.gz, tar.zst, tar or zip | did you mean 'tar'?
        invalidValue | ls --color perhaps t | invalid value 'perhaps' for '--color': expected auto, always or never
        invalidValue | generate completions powershell | invalid value 'powershell' for 'bash|zsh|fish': expected bash, zsh or fish
        unknownFlag | ls 't@' --nonsense | unknown flag '--nonsense' for 'ls' | 'capsule ls --help' lists its flags
        missingArgument | merge a b | 'merge' needs THEIRS | usage: capsule merge BASE OURS THEIRS -o FILE [FLAG]...
        unknownFlag | diff t t --names | unknown flag '--names' for 'diff' | did you mean '--name-only'?
        conflict | diff t t -z | '--null' needs '--name-only' or '--name-status' | it changes how they print names
        unknownFlag | diff t t --brief | unknown flag '--brief' for 'diff' | did you mean '--quiet'?
        unknownFlag | restore -n t t | unknown flag '-n' for 'restore' | did you mean '--dry-run'?
        unknownFlag | apply t t -n | unknown flag '-n' for 'apply' | did you mean '--dry-run'?
        unknownVerb | version | unknown verb 'version' | use 'capsule --version'
        unknownVerb | status | unknown verb 'status' | did you mean 'diff'?
        unknownVerb | convert t | unknown verb 'convert' | did you mean 'plist convert'?
        unknownVerb | set t | unknown verb 'set' | did you mean 'plist set'?
        unknownForm | plist replace t | unknown form 'replace' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'set'?
        unknownForm | plist insert t | unknown form 'insert' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'add'?
        unknownForm | plist extract t | unknown form 'extract' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'get'?
        unknownForm | plist rm t | unknown form 'rm' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'remove'?
        unknownForm | plist unset t | unknown form 'unset' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'remove'?
        unknownForm | plist type t | unknown form 'type' for 'plist': expected lint, get, set, add, append, remove, convert or print | did you mean 'print'?
        """.split(separator: "\n").compactMap { row -> Case? in
            let cells = row.split(separator: " | ").map(String.init)
            return codes[cells[0][...]].map {
                Case(code: $0, line: cells[1], message: cells[2], hint: cells.count > 3 ? cells[3] : nil)
            }
        }

    @Test(arguments: cases) func isTold(line: Case) throws {
        let error = try #require(CommandLineParser().error(line.line))
        #expect(error.code == line.code)
        #expect(error.message == line.message)
        #expect(error.hint == line.hint)
    }

    /// The status is 64, and without `--json` standard output stays empty.
    @Test func nothingElseIsPrinted() throws {
        let session = try Session()
        for line in Self.cases {
            let outcome = try session.run("capsule \(line.line)")
            let hint = line.hint.map { "capsule: hint: \($0)\n" } ?? ""
            #expect((outcome.status, outcome.errors) == (64, "capsule: error: \(line.message)\n\(hint)"))
            #expect(outcome.text.isEmpty || line.line.contains("--json"))
        }
    }

    @Test(arguments: cases) func isInHouseStyle(line: Case) {
        expectHouseStyle(line.message, line.hint)
    }

    private func expectHouseStyle(_ message: String, _ hint: String?) {
        for text in [message] + (hint.map { [$0] } ?? []) {
            #expect(text.first?.isUppercase == false, "\(text)")
            #expect(!text.hasSuffix(".") || text.hasSuffix("..."), "\(text)")
        }
    }

    /// Checks that an error has a message in the house style, and that nothing traps.
    private func endsWell(_ words: [[UInt8]]) {
        do throws(UsageError) {
            _ = try CommandLineParser().parse(words)
        } catch {
            expectHouseStyle(error.message, error.hint)
        }
    }

    /// Any prefix of a line with everything in it gives a good error or none.
    @Test func everyCutOfALineEndsWell() {
        let line = bytes("pack X -fo out --label=a --level 3 --codec zstd --exclude=* --group a=b -- - --")
        for end in line.indices {
            endsWell(line[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { Array($0) })
        }
    }

    /// The same for any byte.
    @Test func everyByteEndsWell() {
        for byte in UInt8.min...UInt8.max {
            for head in ["", "-", "--", "-f", "--label=", "--note="] {
                endsWell([bytes("pack"), bytes(head) + [byte], bytes("X")])
                endsWell([bytes(head) + [byte]])
            }
        }
    }
}

@Suite struct AdviceTests {
    @Test(arguments: ["rm", "query", "encrypt", "backup", "import", "save", "reset", "changes", "states"])
    func wordsOfOtherTools(word: String) throws {
        let hint = try #require(CommandLineParser().error(word)?.hint)
        for command in hint.split(separator: "'").filter({ $0.hasPrefix("capsule ") }) {
            _ = try CommandLineParser().command(String(command.dropFirst("capsule ".count)).replacing("VERSION", with: "1"))
        }
    }
}

@Suite struct SuggestionsTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("pack", "pack", 0), ("pakc", "pack", 1), ("pck", "pack", 1),
        ("paack", "pack", 1),
        ("puck", "pack", 1), ("ca", "abc", 3), ("kitten", "sitting", 3),
    ])
    func distanceCountsLetters(left: String, right: String, distance: Int) {
        #expect(Suggestions.distance(Array(left), Array(right)) == distance)
        #expect(Suggestions.distance(Array(right), Array(left)) == distance)
    }

    @Test(arguments: [
        ("pakc", ["pack"]), ("PACK", ["pack"]), ("unpac", ["unpack"]), ("unp", ["unpack"]), ("l", ["ls"]), ("verfy", ["verify"]),
        ("gen", ["generate"]), ("x", []), ("dif", ["diff"]), ("", []),
    ])
    func nearVerbsAreFound(typed: String, expected: [String]) {
        #expect(Suggestions(for: typed, among: CommandTable.capsule.verbNames).words == expected)
    }

    @Test func nearestStandsFirstAndThreeAreEnough() {
        #expect(
            Suggestions(for: "--le", among: ["--level", "--length", "--left", "--leap"]).words == [
                "--leap", "--left", "--length",
            ])
        #expect(Suggestions(for: "abcdef", among: ["abcxyf", "abcdex"]).words == ["abcdex", "abcxyf"])
    }

    @Test func hintListsThem() {
        #expect(Suggestions.hint(for: []) == nil)
        #expect(Suggestions.hint(for: ["a"]) == "did you mean 'a'?")
        #expect(Suggestions.hint(for: ["a", "b", "c"]) == "did you mean 'a', 'b' or 'c'?")
    }

    @Test func aLongWordCostsLittle() {
        let long = Array(repeating: UInt8(ascii: "x"), count: 100_000)
        let took = ContinuousClock().measure {
            #expect(throws: UsageError.self) { try CommandLineParser().parse([long]) }
            #expect(throws: UsageError.self) { try CommandLineParser().parse([bytes("pack"), bytes("--") + long]) }
        }
        #expect(took < .seconds(60))
    }
}

@Suite struct ValueFormTests {
    @Test(arguments: [
        ("a", true), ("v1.0_b-2", true), ("-", true), ("1a", true), ("first2", true), ("Latest", true),
        ("", false), ("12", false), ("latest", false), ("first", false), ("a b", false), ("a/b", false), ("\u{E9}", false),
        ("a@b", false),
    ])
    func labels(text: String, isLabel: Bool) {
        #expect(ValueForm.label.value(of: bytes(text)) == (isLabel ? .text(text) : nil))
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("010", 10), ("10", 10), ("11", nil), ("-1", nil), ("+1", nil), (" 1", nil), ("1 ", nil),
            ("", nil),
            ("1e1", nil), ("0x1", nil), ("\u{661}", nil), ("18446744073709551617", nil),
        ] as [(String, Int?)])
    func integers(text: String, number: Int?) {
        #expect(ValueForm.integer(0...10).value(of: bytes(text)) == number.map { .integer($0) })
    }

    @Test(arguments: [
        ("", true), ("two\nlines\tand \u{1F600}", true), ("\u{0}", false), ("\u{1B}[1m", false), ("\u{FFFE}", false),
        ("\u{9B}", false),
    ])
    func notes(text: String, isHeld: Bool) {
        #expect(ValueForm.text.value(of: bytes(text)) == (isHeld ? .text(text) : nil))
    }

    @Test func notesAreUTF8() {
        #expect(ValueForm.text.value(of: [0x61, 0xFF]) == nil)
    }
}
