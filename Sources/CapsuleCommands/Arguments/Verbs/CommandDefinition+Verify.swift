extension CommandDefinition {
    /// `capsule verify`
    static let verify = CommandDefinition(
        verb: "verify",
        summary: "check that a capsule is whole",
        otherWords: ["check", "fsck", "test", "validate"],
        forms: [CommandForm(.verify, [Positional(.file, "FILE", .file(.input))])],
        flags: [
            Flag(
                .strict, "strict", in: .input,
                summary: "account for every byte; no torn tail",
                details: """
                    Account for every byte of *FILE*: also make the archive that stock `tar` sees again, from the index, \
                    and compare the two. A torn tail is then an error.
                    """)
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Reads the capsule *FILE* through and checks every digest of every version. What is wrong is named: where in the \
            file, and which versions and entries it touches. One damaged place is one line, however many files lie in it. It \
            takes a file and checks all its versions: neither standard \
            input nor a single version, as `FILE@1`, can be verified.
            """,
            """
            A torn tail, as a command leaves it that was killed while it appended, harms no version before it. It is \
            reported as a warning, and with `--strict` as an error.
            """,
            """
            Without `--strict` the tar stream that stock `tar` sees is not compared with the index: in a capsule that \
            somebody forged it may hold other files. The report says so.
            """,
            """
            Verify a capsule that is appended to every night: an append reads back only some of the data that it shares \
            with earlier versions.
            """,
            "That a capsule is whole does not tell who made it: it is not signed.",
        ],
        examples: [
            Example(meaning: "Check a capsule after it was copied:", command: "capsule verify fixtures.capsule"),
            Example(
                meaning: "Let CI fail if a fixture is damaged in any way:",
                command: "capsule verify --strict --quiet Tests/fixtures.capsule"),
        ],
        statuses: [
            Meaning("0", "Whole. A torn tail is a warning, unless `--strict` is given."),
            Meaning("2", "Not whole, or not readable; with `--strict`, a torn tail too."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["info", "unpack"])
}
