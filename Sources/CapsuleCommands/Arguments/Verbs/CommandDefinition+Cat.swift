extension CommandDefinition {
    /// `capsule cat`
    static let cat = CommandDefinition(
        verb: "cat",
        summary: "print one file of a container",
        otherWords: ["print", "read"],
        forms: [
            CommandForm(.cat, [Positional(.container, "CONTAINER", .container(.input)), Positional(.path, "PATH", .path)])
        ],
        flags: Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Prints the bytes of the file *PATH* of *CONTAINER* on standard output, just as they are. Of a capsule only the \
            members that hold the file are read, and its digest is checked.
            """,
            """
            Of a SQLite database that has a write-ahead log or a rollback journal, the database is printed with the content of \
            that log folded in, as if the app had closed it, and a note says so: without its log it may lack what was written \
            last.
            """,
            "A file that is not text is not printed on a terminal: lead it into a file or a pipe.",
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Read a text as it was before a test:",
                command: "capsule cat run.capsule@before Documents/Notes/list.txt"),
            Example(
                meaning: "Copy one file out of a bundle in an archive:",
                command: "capsule cat container.zip Documents/cat.gif > cat.gif"),
        ],
        statuses: Meaning.statuses(
            done: "Done. If the reader of a pipe goes away, that is no failure.",
            failed: "Failure: no such file in the container, or a digest that does not match; a message says which."),
        environment: Meaning.commonEnvironment,
        related: ["ls", "unpack"])
}
