import Testing

@testable import CapsuleCommands

@Suite struct ManPageTests {
    static let pages = ManPage.all(date: "2026-03-01", version: "1.2.3")

    @Test func thereIsOneForEachVerb() {
        #expect(
            Self.pages.map(\.fileName) == [
                "capsule.1", "capsule-pack.1", "capsule-info.1", "capsule-ls.1", "capsule-cat.1", "capsule-unpack.1",
                "capsule-verify.1", "capsule-log.1", "capsule-repair.1", "capsule-compact.1", "capsule-diff.1", "capsule-apply.1",
                "capsule-restore.1", "capsule-recover.1", "capsule-merge.1", "capsule-overlay.1", "capsule-plist.1",
                "capsule-locate.1",
                "capsule-git.1",
                "capsule-generate.1", "capsule-help.1",
            ])
    }

    /// Also those that are not made from the table.
    @Test func theFirstNamesAllOthers() throws {
        let lines = Self.pages[0].source.split(separator: "\n")
        let heading = try #require(lines.lastIndex(of: ".SH \"SEE ALSO\""))
        let words = lines[(heading + 1)...].flatMap { $0.split(separator: " ") }
        let named = words.map { $0.last == "," ? String($0.dropLast()) : String($0) }
        let verbs = CommandTable.capsule.verbNames.map { "\\fBcapsule\\-\($0)\\fR(1)" }
        #expect(named == verbs + ["\\fBcapsule\\fR(5)", "\\fBcapsule\\-diff\\fR(5)", "\\fBcapsule\\-overlay\\fR(5)"])
    }

    @Test func headIsDeterministic() {
        #expect(
            Self.pages[1].source.hasPrefix(
                #"""
                .\" Made by 'capsule generate man'; what it says is in the table of verbs and flags.
                .TH "CAPSULE\-PACK" "1" "2026-03-01" "capsule 1.2.3" "Capsule Manual"
                .nh
                .ad l
                .SH "NAME"
                capsule\-pack \- pack a container into a capsule
                .SH "SYNOPSIS"
                \fBcapsule\ pack\fR
                \fICONTAINER\fR
                [\fB\-\-allow\-changing\fR]

                """#))
        #expect(ManPage(.pack, date: "2026-03-01", version: "1.2.3").source == Self.pages[1].source)
    }

    /// Every line is text, or a request that all readers of man pages know.
    @Test(arguments: pages) func linesAreTextOrKnownRequests(page: ManPage) {
        let requests: Set = [".TH", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi", ".nh", ".ad", ".br", ".\\\""]
        for line in page.source.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            #expect(!line.isEmpty && line.last != " " && line.first != " " && line.first != "'", "\(line)")
            if line.hasPrefix(".") { #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)") }
        }
    }

    /// Every escape is one of those that this page writes, every hyphen and quotation mark of text is escaped.
    @Test(arguments: pages) func textIsEscaped(page: ManPage) {
        let escapes = ["fB", "fI", "fR", "-", "e", "&", " ", "(aq", "(ga", "(dq", "(ha", "(ti"]
        for line in page.source.split(separator: "\n").dropFirst() {
            // mandoc reads a date with plain hyphens only.
            let arguments = line.firstIndex(of: " ").map { line[$0...].replacing("2026-03-01", with: "") } ?? ""
            let text = line.hasPrefix(".") ? arguments.filter { $0 != "\"" } : String(line)
            for (number, piece) in text.split(separator: "\\", omittingEmptySubsequences: false).enumerated() {
                let rest =
                    number == 0 ? Substring(piece) : escapes.first { piece.hasPrefix($0) }.map { piece.dropFirst($0.count) }
                #expect(rest != nil, "\(line)")
                #expect(rest?.contains { "-'`\"^~".contains($0) } == false, "\(line)")
            }
        }
    }

    @Test(arguments: pages) func fontsAreClosed(page: ManPage) {
        for line in page.source.split(separator: "\n") {
            let opened = line.ranges(of: "\\fB").count + line.ranges(of: "\\fI").count
            #expect(opened == line.ranges(of: "\\fR").count, "\(line)")
        }
    }

    @Test(arguments: [
        (".dot", #"\&.dot"#), ("a.b", "a.b"), ("'quote'", #"\(aqquote\(aq"#), (#"back\slash"#, #"back\eslash"#),
        ("--flag", #"\-\-flag"#),
        ("~1 ^ ` \"", #"\(ti1 \(ha \(ga \(dq"#),
    ])
    func charactersAreEscaped(text: String, source: String) {
        #expect(RoffText(text).source == source)
    }

    @Test func stylesBecomeFonts() {
        #expect(RoffText(MarkedText("`-o` *FILE*.")).source == #"\fB\-o\fR \fIFILE\fR."#)
        #expect(RoffText(MarkedText("`.tar` x")).source == #"\fB.tar\fR x"#)
        #expect(RoffText("a b").quoted == "\"a b\"")
        #expect(RoffText("a b...").unbroken == #"a\ b...\&"#)
    }

    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]), ("one two three", 8, ["one two", "three"]), ("one", 1, ["one"]), ("", 5, []),
        ("a b c d", 3, ["a b", "c d"]),
        // An end of a sentence would be seen where none is.
        ("say e.g. this", 8, ["say", "e.g. this"]),
        ("longest of words", 4, ["longest", "of", "words"]),
    ])
    func sentencesBreakAtSpaces(sentence: String, length: Int, lines: [String]) {
        #expect(MarkedText(sentence).lines { $0.plain.count <= length }.map(\.plain) == lines)
    }

    @Test func literalsBreakIntoTwo() {
        let lines = MarkedText("say `capsule diff --overlay` now").lines { $0.plain.count <= 14 }
        #expect(lines == [MarkedText("say `capsule`"), MarkedText("`diff --overlay`"), MarkedText("now")])
    }

    /// Lines that can be broken are as short as linters of man pages want them.
    @Test(arguments: pages) func linesAreShort(page: ManPage) {
        var isTyped = false
        for line in page.source.split(separator: "\n").dropFirst() {
            if line == ".nf" || line == ".fi" { isTyped = line == ".nf" }
            #expect(isTyped || line.utf8.count <= 80 || !line.contains { $0 == " " } || line.hasPrefix("["), "\(line)")
        }
    }

    @Test func everyFlagIsThere() {
        for (page, command) in zip(Self.pages, CommandTable.capsule.all) {
            for flag in command.flags {
                #expect(page.source.contains("\\fB\(RoffText(flag.longSpelling).source)\\fR"), "\(page.fileName) \(flag.name)")
            }
        }
    }
}
