import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands
@testable import CapsuleCore

/// Invalid command lines and their messages.
@Suite struct UsageErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let line: String
        let code: UsageError.Code
        let message: String
        let hint: String?

        init(_ line: String, _ code: UsageError.Code, _ message: String, _ hint: String?) {
            (self.line, self.code, self.message, self.hint) = (line, code, message, hint)
        }

        var testDescription: String { line }
    }

    static let listed = "'capsule pack --help' lists its flags"
    static let label = "letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved"

    static let cases = [
        Case("pakc X", .unknownVerb, "unknown verb 'pakc'", "did you mean 'pack'?"),
        Case("extract X", .unknownVerb, "unknown verb 'extract'", "did you mean 'unpack'?"),
        Case("zzzzzz", .unknownVerb, "unknown verb 'zzzzzz'", "'capsule -h' lists the verbs"),
        Case("help unpakc", .unknownVerb, "no help on 'unpakc'", "did you mean 'unpack'?"),
        Case("help overlys", .unknownVerb, "no help on 'overlys'", "did you mean 'overlays' or 'overlay'?"),
        Case("help get", .unknownVerb, "no help on 'get'", "did you mean 'plist get'?"),
        Case("help expect", .unknownVerb, "no help on 'expect'", "did you mean 'expectations'?"),
        Case("help extract", .unknownVerb, "no help on 'extract'", "did you mean 'unpack'?"),
        Case("help qqqqqqqq", .unknownVerb, "no help on 'qqqqqqqq'", "'capsule help' lists the topics"),
        Case(
            "help plist gte", .unknownForm,
            "unknown form 'gte' for 'plist': expected lint, get, set, add, append, remove, convert or print",
            "did you mean 'get'?"),
        Case(
            "help rules set", .unexpectedArgument, "unexpected argument 'set' for 'help'",
            "usage: capsule help [TOPIC]... [FLAG]..."),
        Case(
            "help plist get x", .unexpectedArgument, "unexpected argument 'x' for 'help'",
            "usage: capsule help [TOPIC]... [FLAG]..."),
        Case("'' X", .unknownVerb, "unknown verb ''", "'capsule -h' lists the verbs"),
        Case(
            "generate mann", .unknownForm, "unknown form 'mann' for 'generate': expected man or completions",
            "did you mean 'man'?"),
        Case(
            "generate x", .unknownForm, "unknown form 'x' for 'generate': expected man or completions",
            "usage: capsule generate man [DIR] [FLAG]..., or capsule generate completions bash|zsh|fish [FLAG]..."),

        Case(
            "plist gte", .unknownForm,
            "unknown form 'gte' for 'plist': expected lint, get, set, add, append, remove, convert or print",
            "did you mean 'get'?"),
        Case(
            "plist get X /a --unarchive", .unknownFlag, "'plist get' does not take '--unarchive'",
            "it belongs to 'capsule plist print'"),
        Case(
            "plist lint X -o y", .unknownFlag, "'plist lint' does not take '--output'",
            "it belongs to 'capsule plist set', 'capsule plist add', 'capsule plist append', 'capsule plist remove' or "
                + "'capsule plist convert'"),
        Case(
            "plist set X /a", .missingArgument,
            "'plist set' needs --bool, --data, --date, --from-json, --hex, --integer, --real, --string or VALUE",
            "the flag sets the type of the new value: give exactly one"),
        Case(
            "plist set X /a --bool yes --string a", .conflict, "'--bool' and '--string' cannot be used together",
            "the flag sets the type of the new value: give exactly one"),
        Case(
            "plist set X /a b --string a", .conflict, "'--string' and 'VALUE' cannot be used together",
            "the flag sets the type of the new value: give exactly one"),
        Case(
            "plist set X /a -int", .missingValue, "flag '-int' needs a value: \(ValueForm.text.expectation)",
            "'capsule plist --help' lists its flags"),
        Case(
            "merge Info.plist Over.plist", .missingArgument, "'merge' needs THEIRS",
            "'capsule apply Over.plist Info.plist' changes Info.plist as Over.plist says"),
        Case(
            "merge 'My Over.plist' App/Info.plist", .missingArgument, "'merge' needs THEIRS",
            "'capsule apply My\\ Over.plist App/Info.plist' changes App/Info.plist as My\\ Over.plist says"),
        Case(
            "merge A.plist B.plist", .missingArgument, "'merge' needs THEIRS",
            "'capsule apply OVERLAY TARGET' changes TARGET as OVERLAY says"),
        Case(
            "restore X live Documents", .unexpectedArgument, "unexpected argument 'Documents' for 'restore'",
            "'capsule restore X live --only Documents' restores only this path"),
        Case(
            "restore X 'Documents/a b' live", .unexpectedArgument, "unexpected argument 'live' for 'restore'",
            "'capsule restore X live --only Documents/a\\ b' restores only this path"),
        Case(
            "undo live", .missingArgument, "'undo' needs TARGET",
            "'restore', 'apply' and 'drop' write FILE with '--undo FILE'; usage: capsule undo FILE TARGET [FLAG]..."),
        Case(
            "pack X g.capsule --append", .unexpectedArgument, "unexpected argument 'g.capsule' for 'pack'",
            "'capsule pack X --append -o g.capsule'"),
        Case(
            "pack A B -o both.capsule", .unexpectedArgument, "unexpected argument 'B' for 'pack'",
            "a capsule has one container per version; add the second with 'capsule pack B --append -o both.capsule'"),
        Case(
            "pack X --label 'after login'", .invalidValue,
            "invalid value 'after login' for '--label': expected \(ValueForm.label.expectation)", "write '--label after-login'"),
        Case("plist set X", .missingArgument, "'plist set' needs POINTER", "'capsule plist -h' shows the usage"),
        Case(
            "plist get X /a b", .unexpectedArgument, "unexpected argument 'b' for 'plist get'",
            "'capsule plist -h' shows the usage"),
        Case(
            "plist", .missingArgument, "'plist' needs lint, get, set, add, append, remove, convert or print",
            "'capsule plist -h' shows the usage"),
        Case("pack X --forse", .unknownFlag, "unknown flag '--forse' for 'pack'", "did you mean '--force'?"),
        Case("pack X --forse=1", .unknownFlag, "unknown flag '--forse' for 'pack'", "did you mean '--force'?"),
        Case("pack X --out=a", .unknownFlag, "unknown flag '--out' for 'pack'", "did you mean '--output'?"),
        Case("pack X -force", .unknownFlag, "unknown flag '-force' for 'pack'", "did you mean '--force'?"),
        Case("pack X --zzzzzzz", .unknownFlag, "unknown flag '--zzzzzzz' for 'pack'", listed),
        Case("pack X -x", .unknownFlag, "unknown flag '-x' for 'pack'", listed),
        Case("pack X -fx", .unknownFlag, "unknown flag '-x' for 'pack'", listed),
        Case("pack X -\u{E9}", .unknownFlag, "unknown flag '-\u{E9}' for 'pack'", listed),
        Case("pack --version", .unknownFlag, "unknown flag '--version' for 'pack'", "use it without a verb: 'capsule --version'"),
        Case("--force pack X", .unknownFlag, "unknown flag '--force'", "put the flags of a verb after the verb"),
        Case("--fold-wal pack X", .unknownFlag, "unknown flag '--fold-wal'", "put the flags of a verb after the verb"),
        Case("pack X --fold-wl", .unknownFlag, "unknown flag '--fold-wl' for 'pack'", "did you mean '--fold-wal'?"),
        Case("pack X -fold-wal", .unknownFlag, "unknown flag '-fold-wal' for 'pack'", "did you mean '--fold-wal'?"),
        Case(
            "pack X --fold-wal=yes", .unexpectedValue, "flag '--checkpoint-wal' does not take a value, but has 'yes'", nil),
        Case("--verson", .unknownFlag, "unknown flag '--verson'", "did you mean '--version'?"),
        Case(
            "--zzzzzz", .unknownFlag, "unknown flag '--zzzzzz'", "'capsule --help' lists the flags that can precede a verb"),

        Case("pack X -o", .missingValue, "flag '-o' needs a value: a file name", listed),
        Case("pack X --codec", .missingValue, "flag '--codec' needs a value: gzip or zstd", listed),
        Case("pack X --force=all", .unexpectedValue, "flag '--force' does not take a value, but has 'all'", nil),
        Case("pack X --strict=yes", .unexpectedValue, "flag '--strict' does not take a value, but has 'yes'", nil),
        Case("pack X --help=all", .unexpectedValue, "flag '--help' does not take a value, but has 'all'", nil),

        Case(
            "pack X --codec zst", .invalidValue, "invalid value 'zst' for '--codec': expected gzip or zstd",
            "did you mean 'zstd'?"),
        Case("pack X --codec lz4", .invalidValue, "invalid value 'lz4' for '--codec': expected gzip or zstd", nil),
        Case("pack X -j 0", .invalidValue, "invalid value '0' for '-j': expected a whole number from 1 to 256", nil),
        Case("pack X -j1x", .invalidValue, "invalid value '1x' for '-j': expected a whole number from 1 to 256", nil),
        Case("ls X --jobs=", .invalidValue, "invalid value '' for '--jobs': expected a whole number from 1 to 256", nil),
        Case("ls X --jobs=-1", .invalidValue, "invalid value '-1' for '--jobs': expected a whole number from 1 to 256", nil),
        Case(
            "ls X --jobs 99999999999999999999", .invalidValue,
            "invalid value '99999999999999999999' for '--jobs': expected a whole number from 1 to 256", nil),
        Case(
            "repair X --lock-timeout -1", .invalidValue,
            "invalid value '-1' for '--lock-timeout': expected a number of seconds from 0 to 86400", nil),
        Case(
            "repair X --lock-timeout .5", .invalidValue,
            "invalid value '.5' for '--lock-timeout': expected a number of seconds from 0 to 86400", nil),
        Case(
            "repair X --lock-timeout 86400.5", .invalidValue,
            "invalid value '86400.5' for '--lock-timeout': expected a number of seconds from 0 to 86400", nil),
        Case("pack X --label latest", .invalidValue, "invalid value 'latest' for '--label': expected \(label)", nil),
        Case("pack X --label 12", .invalidValue, "invalid value '12' for '--label': expected \(label)", nil),
        Case("pack X --label ''", .invalidValue, "invalid value '' for '--label': expected \(label)", nil),
        Case("pack X --label a/b", .invalidValue, "invalid value 'a/b' for '--label': expected \(label)", nil),
        Case(
            "pack X --note 'a\u{1}b'", .invalidValue,
            "invalid value 'a\\x01b' for '--note': expected UTF-8 text without control characters", nil),
        Case("pack X --exclude ''", .invalidValue, "invalid value '' for '--exclude': expected a non-empty pattern", nil),
        Case("pack X --group Dir", .invalidValue, "invalid value 'Dir' for '--group': expected ID=DIR", nil),
        Case("pack X --group =Dir", .invalidValue, "invalid value '=Dir' for '--group': expected ID=DIR", nil),
        Case("pack X --group id=", .invalidValue, "invalid value 'id=' for '--group': expected ID=DIR", nil),
        Case("pack X --output=", .invalidValue, "invalid value '' for '--output': expected a file name", nil),
        Case("pack ''", .invalidValue, "invalid value '' for 'CONTAINER': expected a container", nil),
        Case(
            "generate completions bsh", .invalidValue, "invalid value 'bsh' for 'bash|zsh|fish': expected bash, zsh or fish",
            "did you mean 'bash' or 'zsh'?"),
        Case(
            "pack X --level 13", .invalidValue,
            "invalid value '13' for '--level': expected a whole number from 1 to 12 with gzip",
            "'--codec zstd' accepts levels from 1 to 19"),
        Case(
            "pack X --codec zstd --level 20", .invalidValue,
            "invalid value '20' for '--level': expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd",
            nil),

        Case("pack", .missingArgument, "'pack' needs CONTAINER", "usage: capsule pack CONTAINER [FLAG]..."),
        Case("cat", .missingArgument, "'cat' needs CONTAINER", "usage: capsule cat CONTAINER [PATH] [FLAG]..."),
        Case(
            "generate", .missingArgument, "'generate' needs man or completions",
            "usage: capsule generate man [DIR] [FLAG]..., or capsule generate completions bash|zsh|fish [FLAG]..."),
        Case("verify a b", .unexpectedArgument, "unexpected argument 'b' for 'verify'", "usage: capsule verify FILE [FLAG]..."),
        Case(
            "plist print X p", .unexpectedArgument, "unexpected argument 'p' for 'plist print'",
            "'X:p' names a property list in a container"),
        Case(
            "help pack ls", .unexpectedArgument, "unexpected argument 'ls' for 'help'", "usage: capsule help [TOPIC]... [FLAG]..."
        ),

        Case(
            "unpack X -C a -o b", .conflict, "'--directory' and '--output' cannot be used together",
            "'--directory' sets the directory of the result, '--output' its path"),
        Case(
            "unpack X -o -", .conflict, "'--output -' needs '--as tar.gz|tar.zst|tar|zip'",
            "only an archive can go to standard output"),
        Case(
            "unpack X -o - --as directory", .conflict, "'--output -' needs '--as tar.gz|tar.zst|tar|zip'",
            "only an archive can go to standard output"),
        Case(
            "pack X -o - --json", .conflict, "'--output -' and '--json' cannot be used together",
            "both would write to standard output"),
        Case(
            "info X --json --plist", .conflict, "'--plist' and '--json' cannot be used together",
            "both print the manifest"),
        Case("ls X -qv", .conflict, "'--quiet' and '--verbose' cannot be used together", nil),
        Case("-q ls X -v", .conflict, "'--quiet' and '--verbose' cannot be used together", nil),
    ]

    @Test(arguments: cases) func isTold(line: Case) throws {
        let error = try #require(CommandLineParser().error(line.line))
        #expect(error.code == line.code)
        #expect(error.message == line.message)
        #expect(error.hint == line.hint)
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
    @Test(arguments: ["du", "grep", "show", "rm", "query", "size", "encrypt", "redact", "sign", "backup", "import"])
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
