import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

/// Tests that every flag and every positional of the table reads a value that its form allows, in its type.
@Suite struct FlagTests {
    /// An argument, a line with it, and a check of the value in the parsed command.
    struct Case: Sendable {
        let id: ArgumentID
        let line: String
        let reads: @Sendable (ParsedCommand) -> Bool

        init<Value: Equatable & Sendable>(_ flag: Flag<Value>, _ line: String, _ value: Value) {
            id = flag.id
            self.line = line
            reads = { $0[flag] == value }
        }

        init<Value: Equatable & Sendable>(_ positional: Positional<Value>, _ line: String, _ value: Value) {
            id = positional.id
            self.line = line
            reads = { $0[positional] == value }
        }
    }

    static let cases = [
        Case(.allowChanging, "pack X --allow-changing", true), Case(.append, "pack X --append", true),
        Case(.checkpointWAL, "pack X --checkpoint-wal", true), Case(.checkpointWAL, "unpack X --fold-wal", true),
        Case(.drop, "pack X --drop tmp,caches", "tmp,caches"),
        Case(.tags, "push X A --tag a --tag b", ["a", "b"]), Case(.asImage, "push X A --as-image", true),
        Case(.annotations, "push X A --annotation a=b", [NamedValue(name: bytes("a"), value: bytes("b"))]),
        Case(.remote, "pull A", bytes("A")), Case(.remoteTarget, "push X A", bytes("A")),
        Case(.givenLabel, "label X a", "a"), Case(.givenLabel, "label X --delete a", nil),
        Case(.deletedLabel, "label X --delete a", "a"),
        Case(.moveLabel, "label X a --move-label", true), Case(.moveLabel, "pack X --append --label a", false),
        Case(.droppedVersions, "compact X --drop 1,~1 --drop first", [[.number(1), .beforeLatest(1)], [.first]]),
        Case(.keep, "compact X --keep 1,~1", [.number(1), .beforeLatest(1)]),
        Case(.anyDirectory, "drop X tmp --any-directory", true),
        Case(.differentApp, "pack X --different-app", true),
        Case(.force, "pack X -f", true), Case(.force, "pack X", false),
        Case(.json, "ls X --json", true),
        Case(.longListing, "ls X -l", true), Case(.humanReadable, "ls X -lh", true),
        Case(.by, "du X --by class", .class), Case(.depth, "du X -d 2", 2),
        Case(.noCache, "pack X --no-cache", true), Case(.plist, "info X --plist", true), Case(.quiet, "ls X -q", true),
        Case(.skipUnreadable, "pack X --skip-unreadable", true), Case(.strict, "verify X --strict", true),
        Case(.verbose, "ls X -v", true), Case(.container, "ls X", bytes("X")), Case(.file, "verify X", bytes("X")),
        Case(.path, "cat X p", bytes("p")), Case(.directory, "unpack X -C d", bytes("d")),
        Case(.manDirectory, "generate man d", bytes("d")), Case(.output, "unpack X -o o", bytes("o")),
        Case(.exclude, "pack X --exclude e", [bytes("e")]), Case(.paths, "unpack X p", [bytes("p")]),
        Case(.identity, "ls X --identity k", bytes("k")), Case(.recipientsFile, "pack X -R k", bytes("k")),
        Case(.recipients, "pack X --recipient a --recipient b", ["a", "b"]),
        Case(.groups, "pack X --group a=b", [NamedValue(name: bytes("a"), value: bytes("b"))]),
        Case(.label, "pack X --label l", "l"), Case(.note, "pack X -m n", "n"), Case(.jobs, "ls X -j 7", 7),
        Case(.level, "pack X --level 7", 7), Case(.lockTimeout, "pack X --lock-timeout 7.25", 7.25),
        Case(.color, "ls X --color always", .always), Case(.codec, "pack X --codec zstd", .zstd),
        Case(.check, "apply O T --check", true), Case(.deep, "apply O T --deep", true),
        Case(.expand, "apply O T --expand", true), Case(.overlays, "apply O P T", [bytes("O"), bytes("P")]),
        Case(.target, "apply O P T", bytes("T")), Case(.targetPath, "apply O T --target p", "p"),
        Case(.when, "apply O T --when a --when b=c", ["a", "b=c"]), Case(.arrays, "apply O T --arrays a=set", ["a=set"]),
        Case(.definitions, "apply O T --define a=", [NamedValue(name: bytes("a"), value: [])]),
        Case(.dryRun, "apply O T --dry-run", true), Case(.undo, "apply O T --undo u", bytes("u")),
        Case(.all, "diff A B --all", true), Case(.stat, "diff A B --stat", true), Case(.patch, "log A --patch", true),
        Case(.times, "diff A B --times", true),
        Case(.tree, "unpack X PATH --tree", true), Case(.loose, "diff A B --expect-write e.json --loose", true),
        Case(.showSecrets, "diff A B --show-secrets", true),
        Case(.context, "diff A B --context 7", 7),
        Case(.rows, "diff A B --rows 7", 7), Case(.lines, "diff A B --lines 7", 7),
        Case(.rules, "diff A B --rules r", bytes("r")), Case(.learn, "diff A B --learn l", bytes("l")),
        Case(.expectUpdate, "diff A B --expect-update e", bytes("e")),
        Case(.expect, "diff A B --expect e", bytes("e")), Case(.expectWrite, "diff A B --expect-write e", bytes("e")),
        Case(.junit, "diff A B --expect e --junit j", bytes("j")), Case(.html, "diff A B --html h", bytes("h")),
        Case(.markdown, "diff A B --markdown m", bytes("m")),
        Case(.open, "diff A B --html h --open", true),
        Case(.old, "diff A B", bytes("A")), Case(.new, "diff A B", bytes("B")), Case(.exitZero, "diff A B --exit-zero", true),
        Case(.full, "overlay show X --full", true), Case(.nameStatus, "diff A B --name-status", true),
        Case(.nameOnly, "diff A B --name-only", true),
        Case(.null, "diff A B --name-status -z", true), Case(.plain, "diff A B --overlay o --plain", true),
        Case(.byValue, "diff A B --overlay o --by-value", true), Case(.oneWay, "diff A B --overlay o --one-way", true),
        Case(.bySection, "generate man d --by-section", true),
        Case(.carryWhole, "diff A B --overlay o --carry-whole", true),
        Case(.onTarget, "overlay check X --on Y", bytes("Y")),
        Case(.overlayFile, "diff A B --overlay o", bytes("o")), Case(.file, "overlay check X", bytes("X")),
        Case(.propertyList, "plist get X /a", bytes("X")), Case(.pointer, "plist get X /a", "/a"),
        Case(.pointer, "plist get X", nil), Case(.createParents, "plist add X /a --bool yes --create-parents", true),
        Case(.propertyLists, "plist lint X Y", [bytes("X"), bytes("Y")]), Case(.lenient, "plist lint X --lenient", true),
        Case(.lossy, "plist convert json X --lossy", true), Case(.unarchive, "plist print X --unarchive", true),
        Case(.format, "plist convert openstep X", .openstep), Case(.string, "plist set X /a --string ''", ""),
        Case(.bool, "plist set X /a --bool yes", "yes"), Case(.integer, "plist set X /a --integer -1", "-1"),
        Case(.real, "plist set X /a --real 1.5", "1.5"), Case(.date, "plist set X /a --date d", "d"),
        Case(.data, "plist set X /a --data AAEC", "AAEC"), Case(.hex, "plist set X /a -data 0aFF", "0aFF"),
        Case(.newValue, "plist set X /a b", "b"), Case(.fallback, "plist get X /a --default b", "b"),
        Case(.integer, "plist add X /a -int 7", "7"), Case(.bool, "plist append X /a -bool NO", "NO"),
        Case(.fromJSON, "plist set X /a --from-json []", "[]"),
        Case(.app, "unpack X --overlays --app d", bytes("d")), Case(.applyOverlays, "unpack X --overlays", true),
        Case(.packedOverlays, "pack X --overlay a:b=c=d", [NamedValue(name: bytes("a:b"), value: bytes("c=d"))]),
        Case(.device, "locate a --device d", "d"), Case(.devices, "locate a --devices d", bytes("d")),
        Case(.noise, "drop T a b,c", ["a", "b,c"]), Case(.program, "run X -- a -b", [bytes("a"), bytes("-b")]),
        Case(.from, "run X --from Y -- a", bytes("Y")), Case(.projectApp, "init a", bytes("a")),
        Case(.noUndo, "restore X Y --no-undo", true),
        Case(.noGroups, "pack X --no-groups", true),
        Case(.keychain, "pack X --keychain", true),
        Case(.identifier, "locate a", "a"), Case(.kind, "locate a --kind group", .group),
        Case(.set, "locate a --set xctest", .xctest),
        Case(.globalScope, "git install --global", true), Case(.localScope, "git status --local", true),
        Case(.driverBase, "git merge-driver O A B 7 p", bytes("O")), Case(.driverOurs, "git merge-driver O A B 7 p", bytes("A")),
        Case(.driverTheirs, "git merge-driver O A B 7 p", bytes("B")), Case(.markSize, "git merge-driver O A B 7 p", bytes("7")),
        Case(.driverPath, "git merge-driver -- O A B 7 -p", bytes("-p")),
        Case(.allowUnmatched, "restore X T --allow-unmatched", true), Case(.clean, "recover T --clean", true),
        Case(.strictPatterns, "pack X --strict-patterns", true),
        Case(.keptPaths, "restore X T --keep a", [bytes("a")]), Case(.onlyPaths, "restore X T --only a", [bytes("a")]),
        Case(.rebasePaths, "restore X T --rebase-paths", true),
        Case(.simctl, "restore X T --simctl", true),
        Case(.base, "merge B O T -o x", bytes("B")), Case(.ours, "merge B O T -o x", bytes("O")),
        Case(.theirs, "merge B O T -o x", bytes("T")), Case(.conflicts, "merge B O T -o x --conflicts c", bytes("c")),
        Case(.resolve, "merge B O T -o x --resolve r", bytes("r")),
        Case(.prefer, "merge B O T -o x --prefer ours --prefer theirs={}", ["ours", "theirs={}"]),
        Case(.partial, "merge B O T -o x --partial", true), Case(.marks, "merge B O T -o x --partial --markers", true),
        Case(.threeWay, "apply O T --three-way", true), Case(.require, "apply O T --require", true),
        Case(.signingKey, "sign X --key k", bytes("k")), Case(.signers, "verify X --signers s", bytes("s")),
        Case(.revokedKeys, "verify X --signers s --revoked r", bytes("r")),
        Case(.requireSignature, "verify X --signers s --require-signature", true),
        Case(.findText, "redact X --dry-run --find a --find b", ["a", "b"]),
        Case(.findFile, "redact X --find-file f", bytes("f")), Case(.secretKeys, "redact X --key '*a'", ["*a"]),
        Case(.keptPlaces, "redact X --keep a:/b", [bytes("a:/b")]), Case(.redact, "pack X --redact", true),
        Case(.port, "serve --port 8080", 8080), Case(.portFile, "serve --port-file f", bytes("f")),
        Case(.root, "serve --root d", bytes("d")), Case(.servedProgram, "serve -- a -b", [bytes("a"), bytes("-b")]),
        Case(.servedProgram, "serve", []),
        Case(.live, "watch X", bytes("X")), Case(.until, "watch X --until a", "a"),
        Case(.timeout, "watch X --until a --timeout 7.5", 7.5), Case(.text, "grep a X", "a"),
        Case(.ignoreCase, "grep -i a X", true), Case(.count, "grep -c a X", true),
        Case(.filesOnly, "grep -l a X", true), Case(.allVersions, "grep a X --versions", true),
        Case(.maxBytes, "show X --html p.html --max-bytes 600000", 600_000),
        Case(.noContent, "show X --html p.html --no-content", true),
        Case(.limit, "show X p --limit 7", 7), Case(.csv, "show X p:t --csv", true),
        Case(.unpackForm, "unpack X --as zip", .zip), Case(.shell, "generate completions zsh", .zsh),
    ]

    @Test(arguments: cases.indices) func argumentIsReadInItsType(index: Int) throws {
        let sample = Self.cases[index]
        #expect(try sample.reads(CommandLineParser().command(sample.line)), "\(sample.line)")
    }

    @Test(
        arguments: [
            ("a.zip", .zip), ("A.ZIP", .zip), ("d/a.tar.gz", .tarGzip), ("a.tgz", .tarGzip), ("a.tar.zst", .tarZstd),
            ("a.tar", .tar), ("a.xcappdata", .xcappdata), ("a", nil), ("zip", nil), ("a.zip/", nil), ("a.gz", nil),
            ("a.capsule", nil),
            ("", nil),
            ("a.tar.gz.age", .tarGzip), ("a.zip.AGE", nil), ("a.capsule.age", nil), (".age", nil),
        ] as [(String, UnpackForm?)])
    func formOfAName(name: String, form: UnpackForm?) { #expect(UnpackForm(endOf: Array(name.utf8)) == form) }

    @Test func everyArgumentIsRead() {
        // The parser handles these itself.
        let answered = [Flag.help.id, Flag.version.id, Positional.topics.id]
        let all = CommandTable.capsule.all.flatMap { $0.flags.map(\.id) + $0.forms.flatMap { $0.positionals.map(\.id) } }
        #expect(Set(Self.cases.map(\.id)) == Set(all).subtracting(answered))
    }

    /// A command that reads a flag that its verb does not have would never see it.
    @Test func anotherVerbsFlagIsNotRead() async throws {
        await #expect(processExitsWith: .failure) { _ = try CommandLineParser().command("log X")[.force] }
        await #expect(processExitsWith: .failure) { _ = try CommandLineParser().command("compact X")[.keptPaths] }
        await #expect(processExitsWith: .failure) { _ = try CommandLineParser().command("log X")[.container] }
        #expect(try CommandLineParser().command("log X")[ifTaken: .force] == false)
    }

    /// The default of a flag is the one in the help.
    @Test func defaultsAreTold() {
        let pack = CommandDefinition.pack
        #expect(
            pack.flag(Flag.lockTimeout.id)?.details.contains("The default is \(Int(Flag.lockTimeout.read([])));") == true)
        #expect(pack.flag(Flag.color.id)?.details.contains("The default, `\(Flag.color.read([]))`,") == true)
        #expect(
            pack.flag(Flag.jobs.id)?.details.contains("from \(Flag.jobsRange.lowerBound) to \(Flag.jobsRange.upperBound).")
                == true)
        for codec in CodecChoice.allCases {
            let levels = "\(codec.levels.lowerBound) to \(codec.levels.upperBound)"
            #expect(pack.flag(Flag.level.id)?.summary.contains("\(codec) \(levels)") == true)
            #expect(pack.flag(Flag.level.id)?.details.contains("\(levels) for \(codec)") == true)
        }
    }
}
