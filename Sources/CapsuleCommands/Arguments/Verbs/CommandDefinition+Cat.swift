extension CommandDefinition {
    /// `capsule cat`
    static let cat = CommandDefinition(
        verb: "cat",
        summary: "print one file of a container",
        otherWords: ["print", "read"],
        forms: [
            CommandForm(
                .cat, [Positional(.container, "CONTAINER", .container(.input)), Positional(.path, "PATH", .path, .optional)])
        ],
        flags: Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Print the bytes of the file *PATH* in *CONTAINER* on standard output, unchanged. `CONTAINER:PATH` as one argument \
            is the same. From a capsule, only the members with this file are read, and the file's digest is checked.
            """,
            """
            *PATH* can be a pattern: `*` matches within a name and `**` across directories. `'*.plist'` matches only at the top, \
            `'**/*.plist'` everywhere. Put a pattern in quotes, so that the shell does not expand it. The pattern must match one file.
            """,
            """
            A SQLite database with a write-ahead log or a rollback journal is printed with its WAL checkpointed, or its \
            journal rolled back, as if the app had closed it, and a note says so. Without its log the database could lack \
            the latest changes.
            """,
            """
            A file that is not text is not printed on a terminal: redirect it to a file or a pipe.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Print a text file as it was before a test:",
                command: "capsule cat run.capsule@before Documents/Notes/list.txt"),
            Example(
                meaning: "Print the same file from the latest version:",
                command: "capsule cat run.capsule:Documents/Notes/list.txt"),
            Example(
                meaning: "Copy one file out of a bundle in an archive:",
                command: "capsule cat container.zip Documents/cat.gif > cat.gif"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure: the container has no such file, or its digest does not match; a message says which."),
        environment: Meaning.commonEnvironment,
        related: ["ls", "unpack"])
}
