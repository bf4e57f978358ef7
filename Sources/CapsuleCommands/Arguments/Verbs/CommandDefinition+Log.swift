extension CommandDefinition {
    /// `capsule log`
    static let log = CommandDefinition(
        verb: "log",
        summary: "list the versions of a capsule",
        otherWords: ["history", "list-versions", "tags", "versions"],
        forms: [CommandForm(.log, [Positional(.file, "FILE", .file(.input))])],
        flags: Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Lists the versions of the capsule *FILE*, newest first, a line each: number and label, by which `FILE@VERSION` \
            finds it; when it was captured; how many entries it has; how many bytes it added to the file; where it comes \
            from; and its note.
            """,
            """
            Only footers and manifests are read, and no content. A version whose manifest is damaged has a line that says \
            so. Numbers that are missing are those of versions that were taken out.
            """,
        ],
        examples: [
            Example(meaning: "See what a capsule holds:", command: "capsule log fixtures.capsule"),
            Example(
                meaning: "Print the label of each version in a script:",
                command: "capsule log --json fixtures.capsule | jq -r '.versions[].label'"),
        ],
        statuses: [
            Meaning("0", "Listed. A torn tail is a warning. If the reader of a pipe goes away, that is no failure."),
            Meaning("2", "The file is no capsule, or a version of it cannot be read."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["info", "repair", "verify"])
}
