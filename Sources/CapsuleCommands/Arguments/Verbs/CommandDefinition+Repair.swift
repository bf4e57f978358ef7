extension CommandDefinition {
    /// `capsule repair`
    static let repair = CommandDefinition(
        verb: "repair",
        summary: "cut off what stands behind the last whole version",
        otherWords: ["fix", "mend", "salvage"],
        forms: [CommandForm(.repair, [Positional(.file, "FILE", .file(.target))])],
        flags: [.lockTimeout(in: .output)] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Looks at what stands behind the last whole version of the capsule *FILE* and takes it away. All versions before \
            it stay as they are, byte for byte.
            """,
            """
            A *torn* tail is what a command leaves that was killed while it appended, or a copy that was cut short: it never \
            was a version, and is cut off. Any other tail is *damaged*: one bit of a footer may be wrong, and a version \
            behind it. It is first copied to `FILE.damaged`, which must not be there yet; what can be read of the versions \
            in it is told.
            """,
            """
            What is damaged before the last footer is not mended by cutting: `repair` names the versions that can be read, \
            and changes nothing. Afterward the versions that stay are verified: what is damaged in them is not mended \
            either, and the status is 2; `capsule verify` says what helps.
            """,
        ],
        examples: [
            Example(meaning: "Repair a capsule after a crash:", command: "capsule repair fixtures.capsule"),
            Example(
                meaning: "Give up at once if somebody is writing to it:",
                command: "capsule repair --lock-timeout 0 fixtures.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "The last whole version is the end of the file, now or all along, and all versions are whole.",
            failed:
                "Failure; a message on standard error says why. The capsule is as it was, or repaired if only the last sync failed or a version that stays is damaged."
        ),
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["log", "verify"])
}
