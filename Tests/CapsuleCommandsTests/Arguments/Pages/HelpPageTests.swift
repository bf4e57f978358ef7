import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

@Suite struct HelpPageTests {
    static let all = CommandTable.capsule.all

    @Test func shortHelpOfLs() {
        #expect(
            HelpPage(.ls, .short).text() == """
                capsule ls: list the files of a container

                Usage: capsule ls CONTAINER [PATH]... [FLAG]...

                Input
                      --identity FILE  decrypt a container with the key in FILE

                Output
                      --full            with -l: show all digits of each digest
                      --human-readable  with -l, as in -lh: show sizes for people
                  -l, --long            show mode, size, time and digest

                capsule ls --help explains more and has examples.
                capsule --help lists what all verbs share: flags, exit statuses, variables.

                """)
    }

    @Test func verbsStandInGroups() {
        let short = HelpPage(.program, .short).text()
        #expect(
            short.contains(
                """

                Every day
                  pack      pack a container into a capsule
                  restore   make a live container equal to a version

                """))
        let long = HelpPage(.program, .long).text()
        for group in CommandTable.capsule.groups {
            #expect(short.contains("\n\n\(group.title)\n  \(group.verbs[0].verb ?? "")"))
            #expect(long.contains("\n\n  \(group.title)\n    \(group.verbs[0].verb ?? "")") || group.title == "Every day")
        }
    }

    /// The flags of every verb are listed only once: at the end of the program's long help.
    @Test(arguments: all) func commonFlagsAreListedOnce(command: CommandDefinition) {
        let short = HelpPage(command, .short).text()
        let long = HelpPage(command, .long).text()
        let reference = "\ncapsule --help lists what all verbs share: flags, exit statuses, variables.\n"
        #expect(short.hasSuffix(reference))
        #expect(long.hasSuffix("\n" + reference) == (command.verb != nil))
        for flag in FlagDefinition.common {
            let line = "\n    \(flag.term.plain)\n"
            #expect(!short.contains(flag.summary) && long.contains(line) == (command.verb == nil), "\(flag.name)")
        }
        guard command.verb == nil else { return }
        let end = long.split(separator: "\n\n  Every verb\n").last ?? ""
        #expect(end.split(separator: "\n").filter { $0.hasPrefix("    -") }.count == FlagDefinition.common.count)
    }

    /// Statuses and variables that all verbs share are in the program's help and in every man page, not in each verb's help.
    @Test(arguments: all) func commonMeaningsAreListedOnce(command: CommandDefinition) {
        let help = HelpPage(command, .long).text()
        let page = ManPage(command, date: "2026-01-01", version: "0").source
        let common = (CommandDefinition.Meaning.always + CommandDefinition.Meaning.commonEnvironment).map(\.term)
        for meaning in command.statuses + command.environment {
            #expect(page.contains(meaning.term), "\(meaning.term)")
            #expect(help.contains("\n    \(meaning.term)") == (command.verb == nil || !common.contains(meaning.term)))
        }
    }

    @Test(arguments: [CommandDefinition.pack, .unpack]) func anAliasIsShown(command: CommandDefinition) {
        // The words may be on two lines.
        func words(_ form: HelpPage.Form) -> String {
            HelpPage(command, form).text().split { $0.isWhitespace }.joined(separator: " ")
        }
        #expect(words(.short).contains("(alias: --fold-wal)"))
        #expect(words(.long).contains("Alias: --fold-wal."))
    }

    @Test(arguments: all, [40, 60, 80, 100]) func linesFit(command: CommandDefinition, width: Int) {
        for form in [HelpPage.Form.short, .long] {
            for line in HelpPage(command, form).text(width: width).split(separator: "\n") {
                // Below 80 columns, an example, a heading or a synopsis may be wider than the page, since they are not broken.
                #expect(line.count <= max(width, 80), "\(line)")
                #expect(line.last != " ", "\(line)")
            }
        }
    }

    @Test(arguments: all) func runningTextIsWrappedToTheWidth(command: CommandDefinition) {
        let narrow = HelpPage(command, .long).text(width: 40)
        let sections = narrow.split(separator: "\n\n")
        for line in sections.filter({ $0.hasPrefix("    ") && !$0.contains("capsule ") }).flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count <= 40 || !line.drop { $0 == " " }.contains(" ") || line.contains(", --"), "\(line)")
        }
    }

    @Test(arguments: all) func shortHelpFitsOnAScreen(command: CommandDefinition) {
        #expect(HelpPage(command, .short).text().split(separator: "\n", omittingEmptySubsequences: false).count <= 64)
    }

    @Test(arguments: all) func allIsSaid(command: CommandDefinition) {
        let short = HelpPage(command, .short).text()
        let long = HelpPage(command, .long).text()
        for spelling in command.ownFlags.flatMap(\.spellings) {
            #expect(short.contains(spelling))
            #expect(long.contains(spelling))
        }
        for section in ["SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS", "SEE ALSO"] {
            #expect(long.contains("\n\(section)\n"))
        }
        #expect(long.contains("\nFLAGS\n") == !command.listedGroups.isEmpty)
        #expect(long.contains("\nCONTAINERS\n") == command.explainsContainers)
        #expect(long.contains("capsule help containers") == (command.explainsContainers && command.verb != nil))
        for example in command.examples { #expect(long.contains("\n        \(example.command)\n")) }
    }

    @Test(arguments: all) func styleAddsNothingButBold(command: CommandDefinition) {
        for form in [HelpPage.Form.short, .long] {
            let page = HelpPage(command, form)
            let styled = page.text(isStyled: true)
            #expect(styled.contains("\u{1B}[1m"))
            #expect(styled.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "") == page.text())
            #expect(!page.text().contains("\u{1B}"))
        }
    }

    @Test func widthIsHeldToWhatCanBeRead() {
        #expect(HelpPage(.pack, .long).text(width: 0) == HelpPage(.pack, .long).text(width: 40))
        #expect(HelpPage(.pack, .long).text(width: 500) == HelpPage(.pack, .long).text(width: 100))
    }
}

@Suite struct GuideTests {
    static let topics = Guide.all.map(\.topic)

    @Test func topicsAreNoVerbsAndNamedOnce() {
        #expect(Self.topics == ["containers", "remote", "expectations", "rules", "reports", "overlays", "format"])
        #expect(Set(Self.topics).isDisjoint(with: CommandTable.capsule.verbNames))
        for guide in Guide.all {
            #expect(Set(guide.otherWords).isDisjoint(with: CommandTable.capsule.verbNames + Self.topics), "\(guide.topic)")
            #expect(guide.summary.count <= 72 && !guide.summary.hasSuffix(".") && guide.summary.first?.isUppercase == false)
        }
        let words = Guide.all.flatMap(\.otherWords)
        #expect(Set(words).count == words.count)
    }

    @Test(arguments: topics) func cardsFitOnAPage(topic: String) throws {
        let text = try #require(Guide.named(topic.utf8)).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 40)
        for line in lines { #expect(line.count <= 80 && line.last != " ", "\(line)") }
        #expect(text.allSatisfy { $0.isASCII })
        for word in ["folder", "checksum", "snapshot", "backup", "subcommand"] { #expect(!text.lowercased().contains(word)) }
    }

    static let matches = [
        "Path", "Pointer", "Table", "Column", "Row", "Kind", "From", "To", "Value", "Is", "Like", "Min", "Max", "Equals",
        "Digest",
    ]

    @Test(arguments: [
        ("containers", ["X.xcappdata", "DIRECTORY", "FILE.capsule", "ARCHIVE", "sim", "-"]),
        (
            "expectations",
            matches + [
                "CapsuleExpectation", "Must", "May", "MustNot", "Other", "Noise", "Count", "Note", "Size", "ContentDigest",
                "Target", "Type",
            ]
        ),
        ("rules", matches + ["CapsuleRules", "Classes", "Rules", "Class", "Note"]),
        (
            "overlays",
            [
                "CapsuleOverlay", "Name", "Note", "When", "Arrays", "Targets", "Files", "Path", "Root", "Create", "Remove",
                "Merge",
                "Operations", "Encode", "op", "path", "value", "from", "when", "Old", "New", "Kind", "Mode", "Time", "Attributes",
                "Target", "Size", "Digest", "Chunks", "add", "remove", "replace", "move", "copy", "test", "insert", "merge",
                "union", "subtract",
            ]
        ),
        (
            "format",
            [
                "FormatVersion", "Version", "Name", "Label", "Note", "Captured", "Source", "Kind", "BundleIdentifier", "Archive",
                "Layout", "Groups", "Overlays", "Overlay", "Parents", "TreeDigest", "ContentDigest", "IndexDigest", "Entries",
                "Bytes", "Omitted",
            ]
        ),
        ("reports", ["T", "R100", "A", "D", "M", "E", "P"]),
    ])
    func cardsHaveAllKeys(topic: String, keys: [String]) throws {
        let card = try #require(Guide.named(topic.utf8)).card
        let words = Set(card.split { " ,:;[\"\n".contains($0) })
        for key in keys { #expect(words.contains(Substring(key)), "\(key)") }
    }

    /// Every flag in a guide is a flag of a verb.
    @Test func flagsExist() {
        let known = Set(CommandTable.capsule.all.flatMap(\.flags).flatMap(\.spellings)).union(["-"])
        for word in Guide.all.flatMap({ $0.card.split { " ,:;'\n".contains($0) } }) where word.hasPrefix("-") {
            #expect(known.contains(String(word)), "\(word)")
        }
    }

    @Test func helpListsTheGuides() {
        let long = HelpPage(.program, .long).text()
        let short = HelpPage(.program, .short).text()
        for guide in Guide.all {
            #expect(short.contains("\n  \(guide.topic) ") && long.contains("\n    \(guide.topic) "), "\(guide.topic)")
        }
        #expect(short.contains("\n\nGuides\n") && long.contains("\n\nGUIDES\n"))
    }
}

@Suite struct MarkedTextTests {
    @Test func marksAreRead() {
        #expect(
            MarkedText("take `**` or *FILE*.").spans == [
                MarkedText.Span(text: "take ", style: .plain), MarkedText.Span(text: "**", style: .literal),
                MarkedText.Span(text: " or ", style: .plain), MarkedText.Span(text: "FILE", style: .placeholder),
                MarkedText.Span(text: ".", style: .plain),
            ])
        #expect(MarkedText("").spans == [])
        #expect(MarkedText(literally: "`*`").plain == "`*`")
    }

    @Test func wordsKeepTheirStyle() {
        let words = MarkedText("a  `b c`d").words
        #expect(words.map(\.plain) == ["a", "b", "cd"])
        #expect(words.last?.spans.map(\.style) == [.literal, .plain])
    }

    @Test func sentencesEndAtPlainPeriods() {
        #expect(MarkedText("One `a. b` two. Three *X*. Four").sentences.map(\.plain) == ["One a. b two.", "Three X.", "Four"])
    }

    @Test func symbolsAreQuoted() {
        #expect(MarkedText("`-` and `~1`").quotingSymbols.plain == "'-' and ~1")
    }
}
