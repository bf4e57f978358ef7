import TestSupport
import Testing

@testable import CapsuleArguments

/// Help, man pages and completions come out of one table.
@Suite struct HelpTests {
    private func page(_ line: String) throws -> String {
        let outcome = try Session().run("capsule \(line)")
        #expect((outcome.status, outcome.errors) == (0, ""), "\(line)")
        return outcome.text
    }

    @Test(arguments: CommandTable.capsule.verbNames)
    func helpOfAVerb(verb: String) throws {
        let long = try page("help \(verb)")
        #expect(try page("\(verb) --help") == long)
        #expect(try long.contains("EXIT STATUS") && page("\(verb) -h").count(where: \.isNewline) < long.count(where: \.isNewline))
        // The flags of every verb are listed once, at the end of the program's own help.
        let end = "\ncapsule --help lists what all verbs share: flags, exit statuses, variables.\n"
        for text in [long, try page("\(verb) -h")] { #expect(!text.contains("--verbose") && text.hasSuffix(end)) }
    }

    @Test func otherTopics() throws {
        let short = try page("-h")
        for heading in ["Every day", "Look", "Change", "Check and repair", "Set up"] { #expect(short.contains("\n\(heading)\n")) }
        for topic in ["expectations", "rules", "reports", "overlays", "format"] {
            #expect(short.contains("\n  \(topic) "))
            #expect(try page("help \(topic)").hasPrefix("capsule help \(topic): "))
        }
        let form = try page("help plist get")
        #expect(form.contains("    capsule plist get FILE [POINTER]") && !form.contains("--unarchive"))
        #expect(try page("plist get --help") == form)
        for name in ["capsule-diff", "capsule-diff.1", "'diff(1)'"] { #expect(try page("help \(name)") == page("help diff")) }
        let flags = try page("--help").split(separator: "\n").filter { $0.contains(/^ *-/) }
        #expect(flags.count >= 7 && flags.contains("    -v, --verbose"))
        try Session().expect(rows: "64 | help expecations | no help on 'expecations' | did you mean 'expectations'?")
    }

    @Test func manPages() throws {
        let session = try Session()
        try session.expect(
            """
            $ capsule generate man man
            $ capsule generate man share/man --by-section
            $ diff -r man share/man/man1
            $ find share -type f | wc -l
            36
            $ ls man | wc -l
            36
            $ mkdir -p other/man1/capsule.1
            [2] $ capsule generate man other --by-section --force
            > capsule: error: other/man1/capsule.1: is a directory
            > capsule: hint: move it elsewhere, or choose another directory
            $ ls other/man1
            capsule.1
            [64] $ capsule generate man --by-section
            > capsule: error: '--by-section' needs DIR
            > capsule: hint: it sets the directory of the pages
            """)
        let pages = try session.run("ls man").text.split(separator: "\n")
        for name in pages {
            let text = try session.text("man/\(name)")
            #expect(text.contains("\n.TH ") && text.contains("\n.SH "))
            let lint = try session.run("! command -v groff > /dev/null || groff -man -ww -z -Tutf8 man/\(name)")
            #expect((lint.status, lint.errors) == (0, ""))
        }
        #expect(try session.text("man/capsule.1") == page("generate man"))
    }

    /// If a page can't be replaced, the error says what to do. A different name is no way out.
    @Test func manPagesOverWhatIsThere() throws {
        let session = try Session(["victim": "untouched\n"])
        try session.expect(
            rows: """
                0 | $ mkdir -p man/capsule.1
                2 | generate man man --force | man/capsule.1: is a directory | move it elsewhere, or choose another directory
                0 | $ rmdir man/capsule.1 && mkfifo man/capsule.1
                2 | generate man man --force | man/capsule.1: is not a regular file, and is never replaced | move it elsewhere, or choose another directory
                0 | $ rm man/capsule.1 && ln -s ../victim man/capsule.1
                2 | generate man man | man/capsule.1: already exists | '--force' replaces it
                0 | generate man man --force
                0 | $ cat victim && test -f man/capsule.1 -a ! -L man/capsule.1 | untouched
                """)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let session = try Session(["script": try page("generate completions \(shell)")])
        #expect(try session.text("script").count > 100)
        let checked = try session.run("! command -v \(shell) > /dev/null || \(shell) -n script")
        #expect((checked.status, checked.errors) == (0, ""))
    }
}
