import CapsuleContainers
import CapsuleEngine
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

/// Valid command lines and the parsed values.
@Suite struct CommandLineParserTests {
    static let parser = CommandLineParser()

    @Test(arguments: [
        "pack X -o out", "pack -o out X", "-q pack X -oout", "pack --output out X", "pack --output=out X",
        "pack X -fo out", "pack X -foout", "pack -o out -- X", "pack -o first X --output=out", "pack -vo out X --force",
    ])
    func outputIsRead(line: String) throws {
        let command = try Self.parser.command(line)
        #expect(command.id == .pack)
        #expect(command.definition.verb == "pack")
        #expect(command[.container] == bytes("X"))
        #expect(command[.output] == bytes("out"))
    }

    /// An error is printed as JSON if JSON was requested, whatever is wrong with the line.
    @Test(arguments: [
        ("pack --json", true), ("--json pack a b c d", true), ("diff --nonsense --json a", true), ("nonsense --json", true),
        ("info --jobs many x --json", true), ("plist --json", true), ("--json", true), ("pack", false),
        ("diff a -- --json", false),
        ("pack a --note --json", false), ("pack a --note --json --json", true), ("cat a b --json", false),
        ("plist print --json", true), ("pack a --json -o -", false), ("diff a b --html - --json", false),
        ("pack a --json -o x", true), ("generate man --json", false), ("pack --help --json", false),
    ])
    func errorsAreInJSONWhereItWasAskedFor(line: String, isJSON: Bool) {
        #expect(Self.parser.wantsJSON(shellWords(line).map(bytes)) == isJSON)
    }

    @Test func nothingIsOnByItself() throws {
        let command = try Self.parser.command("pack X")
        #expect(!command[.force] && !command[.strict] && !command[.allowChanging] && !command[.skipUnreadable])
        #expect(!command[.json] && !command[.quiet] && !command[.verbose] && !command[.noCache] && !command[.differentApp])
        #expect(command[.output] == nil)
        #expect(command[.label] == nil)
        #expect(command[.note] == nil)
        #expect(command[.codec] == nil)
        #expect(command[.level] == nil)
        #expect(command[.jobs] == nil)
        #expect(command[.exclude] == [])
        #expect(command[.groups] == [])
        #expect(command[.color] == .auto)
        #expect(command[.lockTimeout] == 10)
    }

    @Test func everyFlagOfPackIsRead() throws {
        let command = try Self.parser.command(
            """
            pack X -f --strict --allow-changing --skip-unreadable --different-app --no-cache --lock-timeout 0 \
            --exclude a --exclude b --group g.one=One --group=g.two=a=b --codec zstd --level 19 \
            --label v1.0_a-b --note 'two words' -j8 --color never --json -q
            """)
        #expect(command[.force] && command[.strict] && command[.allowChanging] && command[.skipUnreadable])
        #expect(command[.differentApp] && command[.noCache] && command[.json] && command[.quiet] && !command[.verbose])
        #expect(command[.lockTimeout] == 0)
        #expect(command[.exclude] == [bytes("a"), bytes("b")])
        #expect(
            command[.groups] == [
                NamedValue(name: bytes("g.one"), value: bytes("One")), NamedValue(name: bytes("g.two"), value: bytes("a=b")),
            ])
        #expect(command[.codec] == .zstd)
        #expect(command[.level] == 19)
        #expect(command[.label] == "v1.0_a-b")
        #expect(command[.note] == "two words")
        #expect(command[.jobs] == 8)
        #expect(command[.color] == .never)
    }

    @Test func otherVerbsAreRead() throws {
        #expect(try Self.parser.command("info X --plist")[.plist])
        #expect(try Self.parser.command("ls X -l a b")[.paths] == [bytes("a"), bytes("b")])
        #expect(try Self.parser.command("ls X")[.paths] == [])
        #expect(try Self.parser.command("ls X --long")[.longListing])
        #expect(try Self.parser.command("cat X a/b")[.path] == bytes("a/b"))
        #expect(try Self.parser.command("verify X --strict")[.file] == bytes("X"))
        let unpack = try Self.parser.command("unpack X a -C there --as tar.zst -f")
        #expect(unpack[.directory] == bytes("there"))
        #expect(unpack[.unpackForm] == .tarZstd)
        #expect(unpack[.paths] == [bytes("a")])
        #expect(try Self.parser.command("unpack X --as tar.gz -o -")[.output] == bytes("-"))
    }

    @Test func formsOfAVerbAreRead() throws {
        let man = try Self.parser.command("generate -q man there")
        #expect(man.id == .generateMan)
        #expect(man[.manDirectory] == bytes("there"))
        #expect(try Self.parser.command("generate man")[.manDirectory] == nil)
        let completions = try Self.parser.command("generate completions fish")
        #expect(completions.id == .generateCompletions)
        #expect(completions[.shell] == .fish)
        #expect(try Self.parser.command("plist delete X /a").id == .plistRemove)
        #expect(try Self.parser.command("cat X:a")[.path] == nil)
    }

    @Test func aDashIsPositionalAndEndsNothing() throws {
        let command = try Self.parser.command("pack - -o - -f")
        #expect(command[.container] == bytes("-"))
        #expect(command[.output] == bytes("-"))
        #expect(command[.force])
    }

    @Test func afterTwoDashesNothingIsAFlag() throws {
        #expect(try Self.parser.command("ls X -- -l --json")[.paths] == [bytes("-l"), bytes("--json")])
        #expect(try Self.parser.command("-- ls -l -x")[.container] == bytes("-l"))
        #expect(try Self.parser.command("ls X -- -- a")[.paths] == [bytes("--"), bytes("a")])
    }

    @Test func aValueIsTakenAsItStands() throws {
        #expect(try Self.parser.command("pack X -o --forced")[.output] == bytes("--forced"))
        #expect(try Self.parser.command("pack X --output=--force")[.output] == bytes("--force"))
        // A forgotten value must not turn a dry run into a real one.
        #expect(throws: UsageError.self) { try Self.parser.command("restore X T --undo --dry-run") }
        #expect(throws: UsageError.self) { try Self.parser.command("pack X -o --force") }
        #expect(try Self.parser.command("pack X -o=a")[.output] == bytes("=a"))
        #expect(try Self.parser.command("pack X --output=a=b")[.output] == bytes("a=b"))
        #expect(try Self.parser.command("pack X --note ''")[.note] == "")
        #expect(try Self.parser.command("pack X --output -- ")[.output] == bytes("--"))
    }

    @Test func theLastValueWins() throws {
        let command = try Self.parser.command("--color always pack X --color never --level 3 --level 4 -j 2 --jobs=3 -f -f")
        #expect(command[.color] == .never)
        #expect(command[.level] == 4)
        #expect(command[.jobs] == 3)
        #expect(command[.force])
    }

    @Test func namesNeedNotBeUTF8() throws {
        let name: [UInt8] = [0x66, 0xFF, 0x0A, 0x80]
        let parsed = try Self.parser.parse([
            bytes("pack"), name, bytes("--output=") + name, bytes("--exclude"), name, bytes("--group=g=") + name,
        ])
        guard case .run(let command) = parsed else { throw NoCommand(line: "\(parsed)") }
        #expect(command[.container] == name)
        #expect(command[.output] == name)
        #expect(command[.exclude] == [name])
        #expect(command[.groups] == [NamedValue(name: bytes("g"), value: name)])
        guard case .run(let short) = try Self.parser.parse([bytes("unpack"), bytes("X"), bytes("-C") + name]) else { return }
        #expect(short[.directory] == name)
    }

    @Test(
        arguments: [
            ("-h", nil, HelpPage.Form.short), ("--help", nil, .long), ("help", nil, .long), ("-q --help", nil, .long),
            ("pack -h", "pack", .short), ("pack --help", "pack", .long), ("help pack", "pack", .long),
            ("pack X -qh --bogus", "pack", .short),
            ("unpack --as zip --help -C", "unpack", .long), ("generate --help", "generate", .long), ("help help", "help", .long),
            ("help -h", "help", .short), ("help plist get", "plist get", .long), ("plist get -h", "plist get", .short),
            ("help diff.1", "diff", .long), ("help capsule-diff", "diff", .long), ("help capsule-diff(1)", "diff", .long),
            ("help capsule", nil, .long), ("help capsule.1", nil, .long), ("help overlay", "overlay", .long),
        ] as [(String, String?, HelpPage.Form)])
    func helpIsFound(line: String, verb: String?, form: HelpPage.Form) throws {
        guard case .help(let request) = try Self.parser.parse(line: line) else { throw NoCommand(line: line) }
        guard case .command(let command, let found) = request.subject else { throw NoCommand(line: line) }
        #expect(command.verb == verb)
        #expect(found == form)
    }

    @Test(arguments: Guide.all.map(\.topic)) func guidesAreFound(topic: String) throws {
        guard case .help(let request) = try Self.parser.parse(line: "help \(topic)"), case .guide(let guide) = request.subject
        else { throw NoCommand(line: topic) }
        #expect(guide.topic == topic)
    }

    @Test func helpHasTheColorThatWasAskedForBefore() throws {
        guard case .help(let request) = try Self.parser.parse(line: "--color always pack --help") else { return }
        #expect(request.color == .always)
    }

    @Test(
        arguments: [
            ("--version", false), ("-V", false), ("-qV", false), ("--version pack", false), ("-V --nonsense", false),
            ("--version -v", true), ("-v --version", true), ("-Vv", true), ("-V nonsense --verbose", true),
        ])
    func versionIsFound(line: String, isVerbose: Bool) throws {
        guard case .version(let found) = try Self.parser.parse(line: line) else { throw NoCommand(line: line) }
        #expect(found == isVerbose)
    }

    @Test(arguments: ["", "-q", "--json", "--"]) func noVerbIsNothing(line: String) throws {
        guard case .nothing = try Self.parser.parse(line: line) else { throw NoCommand(line: line) }
    }
}
