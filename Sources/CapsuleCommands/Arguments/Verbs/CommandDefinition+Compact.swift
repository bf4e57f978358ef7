extension CommandDefinition {
    /// `capsule compact`
    static let compact = CommandDefinition(
        verb: "compact",
        summary: "remove versions and the data that only they use",
        otherWords: ["gc", "prune", "shrink", "squash", "vacuum"],
        forms: [CommandForm(.compact, [Positional(.file, "FILE", .file(.target))])],
        flags: [
            .lockTimeout(in: .output),
            Flag(
                .output, "output", "o", value: Flag.Value("FILE", .file(.output(nil))), in: .output,
                summary: "write a new capsule instead of changing FILE",
                details: "Write the result to a new *FILE*, which must not exist, and leave the capsule unchanged."),
            Flag(
                .keep, "keep", value: Flag.Value("VERSIONS", .versions), in: .version,
                summary: "keep these versions (default: all)",
                details: """
                    Keep only *VERSIONS*, a comma-separated list of numbers, labels, `latest`, `first` or `~N`. All other \
                    versions are removed, with all data that only they use.
                    """),
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Rewrite the capsule *FILE* with only some of its versions. They keep their numbers, labels, notes and times, so \
            numbers can have gaps. The oldest version that stays becomes the first in the file, the one that stock `tar` \
            sees. `--keep latest` keeps only the newest version.
            """,
            """
            The new capsule is written to a temporary file, verified as by `capsule verify --strict`, and then replaces \
            *FILE* atomically, while *FILE* is locked. A command that is stopped leaves *FILE* unchanged, and a command that \
            waits to append appends to the new capsule. Without `--keep`, all versions stay and only a torn tail is removed; \
            if there is none, the file is not changed.
            """,
        ],
        examples: [
            Example(meaning: "Keep only the newest version:", command: "capsule compact fixtures.capsule --keep latest"),
            Example(
                meaning: "Copy two versions to a new capsule:",
                command: "capsule compact fixtures.capsule --keep before,after -o pair.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Success, or nothing to do.",
            failed: """
                Failure; a message on standard error says why. The capsule is unchanged, or new and intact if only the last \
                sync failed.
                """
        ),
        environment: Meaning.commonEnvironment,
        related: ["pack", "repair", "verify"])
}
