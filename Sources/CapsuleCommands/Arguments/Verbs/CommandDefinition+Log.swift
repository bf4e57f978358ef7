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
            List the versions of the capsule *FILE*, newest first, one per line: number and label, for use as \
            `FILE@VERSION`; capture time; number of entries; bytes that it added to the file; origin; and note.
            """,
            """
            Only footers and manifests are read, not the content. A version with a damaged manifest is marked. Missing \
            numbers are versions that were removed.
            """,
        ],
        examples: [
            Example(meaning: "List the versions of a capsule:", command: "capsule log fixtures.capsule"),
            Example(
                meaning: "Print the label of each version in a script:",
                command: "capsule log --json fixtures.capsule | jq -r '.versions[].label'"),
        ],
        statuses: [
            Meaning("0", "Success. A torn tail is a warning."),
            Meaning("2", "The file is not a capsule, or one of its versions can't be read."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["info", "repair", "verify"])
}
