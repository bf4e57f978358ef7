import Testing

@testable import CapsuleCommands

/// Checks of the guides' texts, like those of the verbs' texts.
@Suite struct GuideTests {
    /// The guide as `capsule help` prints it.
    static func text(_ topic: String, width: Int = 80, isStyled: Bool = false) throws -> String {
        guard case .help(let request) = try CommandLineParser().parse([Array("help".utf8), Array(topic.utf8)]) else {
            throw NoCommand(line: topic)
        }
        return request.text(width: width, isStyled: isStyled)
    }

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

    @Test(arguments: topics) func linesFitAndAreASCII(topic: String) throws {
        let text = try Self.text(topic)
        for line in text.split(separator: "\n") { #expect(line.count <= 80 && line.last != " ", "\(line)") }
        #expect(text.allSatisfy { $0.isASCII })
        for word in ["folder", "checksum", "snapshot", "backup", "subcommand"] { #expect(!text.lowercased().contains(word)) }
    }

    @Test(arguments: topics) func styleAddsNothingButBold(topic: String) throws {
        let styled = try Self.text(topic, isStyled: true)
        #expect(styled.contains("\u{1B}[1m"))
        #expect(try styled.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "") == Self.text(topic))
    }

    /// Every flag in a guide is a flag of a verb.
    @Test func flagsExist() {
        let known = Set(CommandTable.capsule.all.flatMap(\.flags).flatMap(\.spellings)).union(["-"])
        for span in Self.marked(Guide.all.flatMap(\.sections)).flatMap(\.spans) where span.style == .literal {
            for flag in shellWords(span.text) where flag.hasPrefix("-") { #expect(known.contains(flag), "\(span.text)") }
        }
    }

    /// The program contains everything in section 5 of the manual: every sentence is also in a guide.
    @Test func guidesHaveAllOfSection5() {
        let guides = Set(Self.marked(Guide.all.flatMap(\.sections)).flatMap(\.sentences).map(\.plain))
        for page in ReferencePage.filePages {
            for section in page.sections where !["DESCRIPTION", "SEE ALSO"].contains(section.title) {
                for sentence in Self.marked([section]).flatMap(\.sentences).map(\.plain) {
                    #expect(guides.contains(sentence), "\(page.name): \(sentence)")
                }
            }
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

    @Test func filesAreSetAsTheyAre() throws {
        let text = try Self.text("overlays", width: 40)
        #expect(text.contains("\n          \"CapsuleOverlay\": 1,\n"))
        #expect(try Self.text("expectations").contains("\n        {\n          \"CapsuleExpectation\": 1,\n"))
    }

    /// All marked text of sections.
    private static func marked(_ sections: [ReferencePage.Section]) -> [MarkedText] {
        sections.flatMap(\.blocks).flatMap { block -> [MarkedText] in
            switch block {
            case .paragraph(let text): [text]
            case .entry(let term, let text), .row(let term, let text): [term, text]
            case .synopsis(let head, let parts): [head] + parts
            case .subheading, .example, .typed: []
            }
        }
    }
}
