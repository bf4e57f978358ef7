import Testing

@testable import CapsuleCommands

@Suite struct GuideTests {
    static let topics = Guide.all.map(\.topic)

    @Test func topicsAreNoVerbsAndNamedOnce() {
        #expect(Self.topics == ["containers", "expectations", "rules", "reports", "overlays", "format"])
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
