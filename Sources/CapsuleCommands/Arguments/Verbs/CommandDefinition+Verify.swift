extension CommandDefinition {
    /// `capsule verify`
    static let verify = CommandDefinition(
        verb: "verify",
        summary: "check the integrity of a capsule",
        otherWords: ["check", "fsck", "test", "validate"],
        forms: [CommandForm(.verify, [Positional(.file, "FILE", .file(.input))])],
        flags: [
            Flag(
                .strict, "strict", in: .input,
                summary: "check every byte; a torn tail is an error",
                details: """
                    Check every byte of *FILE*: also rebuild the archive that stock `tar` sees from the index, and compare \
                    the two. A torn tail is then an error.
                    """)
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Read the whole capsule *FILE* and check every digest of every version. Damage is reported with its place in the \
            file and the versions and entries that it affects, one line per place. *FILE* must be a file: standard input and \
            single versions, such as `FILE@1`, can't be verified.
            """,
            """
            A torn tail, which a command leaves if it is killed while it appends, doesn't affect earlier versions. It is a \
            warning, or an error with `--strict`.
            """,
            """
            Without `--strict`, the archive that stock `tar` sees is not compared with the index. In a forged capsule it \
            could contain different files. The report says that it was not checked.
            """,
            """
            If you append to a capsule every night, verify it too: an append reads back only a part of the data that it \
            shares with earlier versions.
            """,
            """
            An intact capsule can come from anyone: it is not signed.
            """,
        ],
        examples: [
            Example(meaning: "Check a capsule after a copy:", command: "capsule verify fixtures.capsule"),
            Example(
                meaning: "Fail CI if a fixture is damaged in any way:",
                command: "capsule verify --strict --quiet Tests/fixtures.capsule"),
        ],
        statuses: [
            Meaning("0", "OK. A torn tail is a warning, unless `--strict` is given."),
            Meaning("2", "Damaged or unreadable. With `--strict`: also a torn tail."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["info", "unpack"])
}
