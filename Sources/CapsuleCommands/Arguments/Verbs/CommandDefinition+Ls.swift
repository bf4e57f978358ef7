extension CommandDefinition {
    /// `capsule ls`
    static let ls = CommandDefinition(
        verb: "ls",
        summary: "list the files of a container",
        otherWords: ["dir", "entries", "find", "list", "search", "tree"],
        forms: [
            CommandForm(
                .ls, [Positional(.container, "CONTAINER", .container(.input)), Positional(.paths, "PATH", .path, .any)])
        ],
        flags: [
            Flag(
                .full, "full", in: .output,
                summary: "with -l: show all digits of each digest",
                details: "With `--long`: show all 64 digits of each digest."),
            Flag(
                .longListing, "long", "l", in: .output,
                summary: "show mode, size, time and digest",
                details: """
                    Show the mode, size, time and digest of each entry too, and the target of a symbolic link. The digest is \
                    the first 12 of the 64 digits that `sha256sum` prints; `--full` and `--json` show all of them.
                    """),
        ] + Flag.common,
        constraints: [
            .requirement(Constraint.Use(.longListing), of: Constraint.Use(.full), reason: "it sets how digests are shown")
        ] + Constraint.common,
        description: [
            """
            List the whole tree of *CONTAINER*, one path per line: first the container's paths, then those of its app \
            groups, each sorted by bytes. With one or more *PATH*, list only these entries and everything below them. Files \
            of a bundle outside the container, such as AppDataInfo.plist, are listed if *PATH* names them.
            """,
            """
            *PATH* can be a pattern: `*` matches within a name and `**` across directories. `'*.plist'` matches only at the top, \
            `'**/*.plist'` everywhere. Put a pattern in quotes, so that the shell does not expand it.
            """,
            """
            On a terminal, control characters in names are escaped. In a file or a pipe, names are printed unchanged.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "List a capsule:", command: "capsule ls fixtures.capsule"),
            Example(
                meaning: "List the preferences of its first version with sizes and digests:",
                command: "capsule ls -l fixtures.capsule@first Library/Preferences"),
            Example(
                meaning: "List a downloaded bundle as JSON:",
                command: "capsule ls --json 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure, or *PATH* was not found in the container; a message on standard error says why."),
        environment: Meaning.commonEnvironment,
        related: ["cat", "info", "unpack"])
}
