import Testing

@testable import CapsuleArguments

/// Errors in the command line that the parser does not find.
@Suite struct UsageTests {
    @Test func aSlipIsRefusedWithAHint() throws {
        let session = try Session(["t/f": "x\n"])
        try session.expect(
            rows: """
                64 | cat t | t: 'cat' needs PATH, the file in the container | usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH
                64 | pack t --exclude '[' | [: not a valid pattern: '[' is not closed
                64 | ls 't/f@a b' | t/f: 'a b' is not a version | a version is a number, a label, 'latest', 'first' or '~1'
                64 | cat t ../f | ../f: is not a path in a container: the path leaves the container with '..' | write it as 'capsule ls' does: no leading '/', no '..'
                """)
        try session.expect(
            """
            [64] $ CAPSULE_JOBS=none capsule ls t
            > capsule: error: CAPSULE_JOBS is 'none': expected a number from 1 to 256
            $ capsule ls t
            f
            $ ls -A
            t
            """)
    }

    @Test func withoutAVerbTheHelpIsAMessage() throws {
        let outcome = try Session().run("capsule")
        #expect((outcome.status, outcome.text, outcome.errors) == (64, "", HelpPage(.program, .short).text()))
    }

    @Test(arguments: [
        ("overlay", "compose FILE... -o FILE ["), ("overlay", "invert FILE -o FILE ["),
        ("overlay invert", "invert FILE -o FILE ["),
    ])
    func whatAVerbNeedsIsNoOption(topic: String, usage: String) throws {
        #expect(try Session().run("capsule help \(topic)").text.contains(usage))
    }
}
