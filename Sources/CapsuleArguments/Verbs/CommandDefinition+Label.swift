import CapsuleCore

extension CommandDefinition {
    static let label = CommandDefinition(
        verb: "label",
        summary: "label a version of a capsule, or delete a label",
        otherWords: ["rename", "tag"],
        forms: [CommandForm(.label, .file.taking(.file(.target)), .givenLabel)],
        flags: FlagDefinition.list(
            .deletedLabel, .lockTimeout,
            .moveLabel.worded(
                summary: "take LABEL from the version that has it",
                details: "Move *LABEL* if another version has it. Without this flag, that is an error.")),
        constraints: [
            .conflict(Constraint.Use(.deletedLabel), Constraint.Use(.moveLabel), reason: nil)
        ],
        description: [
            """
            Give the label *LABEL* to a version of the capsule *FILE*: to the newest one, or to *VERSION* of `FILE@VERSION`. \
            From then on, `FILE@LABEL` names it. A version can have several labels. A label consists of letters, digits, `.`, \
            `_` and `-`, and not of digits alone; `latest` and `first` are reserved.
            """,
            """
            The label is appended to the file, in a few hundred bytes. No version changes, and none is added: numbers, \
            `latest`, `~N` and the archive that stock `tar` sees stay the same. A command that is stopped leaves the file \
            unchanged.
            """,
        ],
        examples: [
            Example(meaning: "Label the newest version:", command: "capsule label fixtures.capsule nightly"),
            Example(meaning: "Move a label to version 2:", command: "capsule label fixtures.capsule@2 base --move-label"),
            Example(meaning: "Delete a label:", command: "capsule label fixtures.capsule --delete base"),
        ],
        statuses: Meaning.statuses(
            done: "Success, or the version already has the label.",
            failed: "Failure; a message on standard error says why. The capsule is unchanged."),
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["compact", "log", "pack"])
}

extension Positional<String?> {
    package static var givenLabel: Self { Self(optional: "LABEL", .label) }
}

extension Flag<String?> {
    package static var deletedLabel: Self {
        Self(
            "delete", value: "LABEL", .label, in: .version,
            summary: "delete a label; its version stays",
            details: "Delete *LABEL*, so that it names no version. The version stays.")
    }
}

extension Flag<Bool> {
    package static var moveLabel: Self {
        Self(
            "move-label", in: .version,
            summary: "take the label from the version that has it",
            details: """
                Move the label if another version of the capsule has it. Without this flag, a label that a version has is an \
                error.
                """)
    }
}
