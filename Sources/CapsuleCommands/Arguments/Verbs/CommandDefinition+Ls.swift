extension CommandDefinition {
    /// `capsule ls`
    static let ls = CommandDefinition(
        verb: "ls",
        summary: "list what is in a container",
        otherWords: ["dir", "entries", "find", "list", "search", "tree"],
        forms: [
            CommandForm(
                .ls, [Positional(.container, "CONTAINER", .container(.input)), Positional(.paths, "PATH", .path, .any)])
        ],
        flags: [
            Flag(
                .longListing, "long", "l", in: .output,
                summary: "add mode, size, time and digest",
                details: """
                    Print for each entry its mode, size, time and SHA-256 digest as well, and where a symbolic link \
                    leads. The digest is the one that `sha256sum` prints.
                    """)
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Lists the whole tree of *CONTAINER*, one path a line: the container's paths, then those of its app groups, each \
            sorted by bytes. With *PATH* only that entry and what lies under it is listed; *PATH* may be given more than \
            once. What a bundle has around it, as AppDataInfo.plist, is listed when *PATH* names it.
            """,
            """
            Names are printed as they are into a file or a pipe. On a terminal control characters in them are escaped.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "List a capsule:", command: "capsule ls fixtures.capsule"),
            Example(
                meaning: "List the preferences of its first version, with sizes and digests:",
                command: "capsule ls -l fixtures.capsule@first Library/Preferences"),
            Example(
                meaning: "List what a downloaded bundle holds, as JSON:",
                command: "capsule ls --json 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
        ],
        statuses: Meaning.statuses(
            done: "Done. If the reader of a pipe goes away, that is no failure.",
            failed: "Failure, or a *PATH* that is not in the container; a message on standard error says why."),
        environment: Meaning.commonEnvironment,
        related: ["cat", "info", "unpack"])
}
