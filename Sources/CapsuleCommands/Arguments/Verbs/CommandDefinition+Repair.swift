extension CommandDefinition {
    /// `capsule repair`
    static let repair = CommandDefinition(
        verb: "repair",
        summary: "remove a torn or damaged tail of a capsule",
        otherWords: ["fix", "mend", "salvage"],
        forms: [CommandForm(.repair, [Positional(.file, "FILE", .file(.target))])],
        flags: [.lockTimeout(in: .output)] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Cut the capsule *FILE* after its last complete version. All versions stay unchanged, byte for byte.
            """,
            """
            A *torn* tail is left by a command that was killed while it appended, or by an incomplete copy. It is not a \
            version, and is cut off. Any other tail is *damaged*: it can be a version with one wrong bit in its footer. It \
            is first copied to `FILE.damaged`, which must not exist, and the output lists the versions that can be read in \
            it.
            """,
            """
            Damage inside a version can't be repaired: `repair` lists the versions that can be read, and changes nothing. \
            Otherwise it then verifies the versions that stay. If one of them is damaged, the status is 2; `capsule verify` \
            says what you can do.
            """,
        ],
        examples: [
            Example(meaning: "Repair a capsule after a crash:", command: "capsule repair fixtures.capsule"),
            Example(
                meaning: "Fail immediately if another command is writing to it:",
                command: "capsule repair --lock-timeout 0 fixtures.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Success: the file ends with a complete version, and all versions are OK.",
            failed: """
                Failure; a message on standard error says why. The capsule is unchanged, or it was repaired and only the last \
                sync failed or a version that stays is damaged.
                """
        ),
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["log", "verify"])
}
