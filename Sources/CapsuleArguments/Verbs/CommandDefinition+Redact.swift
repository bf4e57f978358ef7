import CapsuleContainers

extension CommandDefinition {
    static let redact = CommandDefinition(
        verb: "redact",
        summary: "replace the secrets in a container before you send it",
        otherWords: ["anonymize", "mask", "scan", "scrub", "secrets", "sanitize"],
        forms: [CommandForm(.redact, .container, .paths)],
        flags: FlagDefinition.list(
            .dryRun.worded(
                summary: "list what was found, and write nothing",
                details: "List what was found, and write nothing. Only with this flag can *PATH*s be named."),
            .drop.worded(
                summary: "leave out CLASSES (default: caches, tmp and others)",
                details: """
                    Leave out files that iOS or the app creates again, or that have what the app showed and loaded. *CLASSES* is a \
                    comma-separated list as for `capsule pack`, also with `web` (Library/WebKit), or `none`. The default is \
                    `caches,tmp,splashboard,web`, and `none` with `--dry-run`.
                    """),
            .exclude, .findFile, .findText, .force, .identity, .keptPlaces, .secretKeys, .recipients, .recipientsFile,
            .strict.worded(
                summary: "fail if a file can't be searched for secrets",
                details: """
                    Fail, and write nothing, if the container has a picture or a file of no known format. Without this flag, such a \
                    file is kept. `--keep` accepts one.
                    """),
            .output.worded(summary: "write the capsule to FILE", details: "Write the capsule to *FILE*.")),
        constraints: [
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.output), reason: "'--dry-run' writes nothing")
        ] + Constraint.ofRecipients,
        description: [
            """
            Pack *CONTAINER* into a capsule without its secrets: what all reports hide, such as tokens, passwords, cookies and keys, by \
            the names and the forms that `capsule help diff` tells of, and each text of `--find`. A text becomes `redacted-N`, with \
            the same number for the same text everywhere, a number 0, and data zeros of the same length. The container itself is \
            only read.
            """,
            """
            Databases are written anew, without deleted rows and logs. Caches, temporary files, screenshots and web views are left \
            out; see `--drop`. Of a capsule of several versions, name one: `FILE@VERSION`. The result has no other.
            """,
            """
            Then each value of at least 8 bytes that was replaced is searched in all of the result, in names and contents, also in \
            UTF-16, Base64, hexadecimal and URL encoding, and in gzip, zlib and zip. If it is still there, that is an \
            error with the place, and nothing is written.
            """,
            """
            Personal names are not guessed: use `--find`. Pictures and files of no known format are kept, with zeros in place of known \
            values; `--dry-run --json` lists them, and `--strict` refuses them.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "See what a capsule would tell whoever gets it:", command: "capsule redact run.capsule --dry-run"),
            Example(
                meaning: "Write one without its secrets, and without a user's address:",
                command: "capsule redact run.capsule@latest -o send.capsule --find me@example.com"),
            Example(
                meaning: "Take out the values of some keys and columns, too:",
                command: "capsule redact run.capsule@latest -o lean.capsule --key '*email'"),
        ],
        statuses: [
            Meaning("0", "The capsule is written. With `--dry-run`: nothing was found."),
            Meaning("1", "With `--dry-run`: something was found."),
            Meaning("2", "Failure: the container, or a file in it, could not be read, or a secret is still in the result."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [.sourceDateEpoch],
        related: ["diff", "grep", "pack", "show"])
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

    package static var secretKeys: Self {
        Self(
            "key", values: "PATTERN", .text, in: .input,
            summary: "also find the values of keys that match (repeatable)",
            details: """
                Also find the values of keys and columns whose name matches *PATTERN*, in upper and lower case. `*` is any text: \
                `*email` matches `userEmail`. Repeatable.
                """)
    }
}

extension Flag<[UInt8]?> {
    package static var findFile: Self {
        Self(
            "find-file", value: "FILE", .file(.input), in: .input,
            summary: "also find the text on each line of FILE",
            details: "Also find the text on each line of *FILE*, as with `--find`, so that it is in no list of processes.")
    }
}

extension Flag<[[UInt8]]> {
    package static var keptPlaces: Self {
        Self(
            "keep", values: "PLACE", .path, in: .input,
            summary: "find nothing in this file or place (repeatable)",
            details: """
                Find nothing at *PLACE*: a file, or `FILE:PLACE` as `capsule redact --dry-run` prints it. A file is kept as it is. A \
                value that is kept in one place and found in another is replaced everywhere. Repeatable.
                """)
    }
}
