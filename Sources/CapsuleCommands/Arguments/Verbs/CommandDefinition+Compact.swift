extension CommandDefinition {
    /// `capsule compact`
    static let compact = CommandDefinition(
        verb: "compact",
        summary: "keep some versions, and only what they need",
        otherWords: ["gc", "prune", "shrink", "squash", "vacuum"],
        forms: [CommandForm(.compact, [Positional(.file, "FILE", .file(.target))])],
        flags: [
            .lockTimeout(in: .output),
            Flag(
                .output, "output", "o", value: Flag.Value("FILE", .file(.output(nil))), in: .output,
                summary: "write a new capsule, and leave FILE as it is",
                details: "Write the result to this *FILE*, which must not be there yet, and leave the capsule as it is."),
            Flag(
                .keep, "keep", value: Flag.Value("VERSIONS", .versions), in: .version,
                summary: "keep these versions (default: all)",
                details: """
                    Keep just *VERSIONS*: each a number, a label, `latest`, `first` or `~N`, with commas between. All \
                    others go, with every byte that only they needed.
                    """),
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Makes the capsule *FILE* anew with some of its versions. They keep their numbers, labels, notes and times, so that \
            numbers may have gaps. The oldest that is kept becomes the first in the file: the one that stock `tar` sees. \
            `--keep latest` makes a capsule of the newest version alone.
            """,
            """
            The new capsule is written beside *FILE*, verified as `capsule verify --strict` does it, and takes its place at \
            once, under its lock: a command that is stopped leaves *FILE* as it was, and one that waits to append appends to \
            the new one. Without `--keep` all versions stay, and only a torn tail goes; if there is none, the file is left \
            alone.
            """,
        ],
        examples: [
            Example(meaning: "Keep only the newest version:", command: "capsule compact fixtures.capsule --keep latest"),
            Example(
                meaning: "Take two versions along in a file of their own:",
                command: "capsule compact fixtures.capsule --keep before,after -o pair.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Done, or there was nothing to do.",
            failed:
                "Failure; a message on standard error says why. The capsule is as it was, or whole and new if only the last sync failed."
        ),
        environment: Meaning.commonEnvironment,
        related: ["pack", "repair", "verify"])
}
