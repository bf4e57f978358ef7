import CapsuleContainers

extension CommandDefinition {
    static let redact = CommandDefinition(
        verb: "redact",
        summary: "list the secrets in a container before you send it",
        otherWords: ["anonymize", "scan", "scrub", "secrets", "sanitize"],
        forms: [CommandForm(.redact, .container, .paths)],
        flags: FlagDefinition.list(
            .dryRun.worded(
                summary: "list what was found, and change nothing",
                details: "List what was found, and change nothing. It is required: `redact` only finds so far."),
            .findText, .identity),
        description: [
            """
            List each place in *CONTAINER* that has a secret, as *PATH*`:`*PLACE*, never the secret itself: what all reports hide, such as \
            tokens, passwords, cookies and keys, by the names and the forms that `capsule help diff` tells of, and each text of \
            `--find`. With one or more *PATH*, look only at these entries and everything below them.
            """,
            """
            Pictures and files of no known format are not read but counted, and `--json` lists them. To leave a file out, pack with \
            `--exclude`. Personal names are not guessed: use `--find`.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "See what a capsule would tell whoever gets it:", command: "capsule redact run.capsule --dry-run"),
            Example(
                meaning: "Find a user's address, too:",
                command: "capsule redact run.capsule --dry-run --find otter@example.com"),
        ],
        statuses: [
            Meaning("0", "Nothing was found."), Meaning("1", "Something was found."),
            Meaning("2", "Failure: the container, or a file in it, could not be read; a message says which."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment,
        related: ["grep", "pack", "show"])
}

extension Flag<[String]> {
    package static var findText: Self {
        Self(
            "find", values: "TEXT", .text, in: .input,
            summary: "also find TEXT, in any case (repeatable)",
            details: """
                Also find *TEXT*, in upper and lower case: in names, keys, strings, rows, lines and data. Repeatable.
                """)
    }
}
