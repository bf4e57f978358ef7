extension CommandDefinition {
    /// `capsule recover`
    static let recover = CommandDefinition(
        verb: "recover",
        summary: "complete or undo an interrupted apply or restore",
        otherWords: ["resume"],
        forms: [CommandForm(.recover, [Positional(.target, "TARGET", .file(.target))])],
        flags: [
            Flag(
                .clean, "clean", in: .output,
                summary: "delete temporary files next to TARGET",
                details: """
                    Delete temporary files that killed commands left next to *TARGET*, but only if Capsule created them for \
                    you and no command is using them. All others are only reported.
                    """)
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Find an `apply` or `restore` in the directory *TARGET* that was killed or lost power, and complete or undo it. \
            The directory is then in exactly the old or exactly the new state, and the output says which. If nothing is \
            unfinished, nothing is changed.
            """,
            """
            An `apply` or `restore` first writes all new files to `TARGET/.capsule-transaction`, then a journal of the \
            changes, and only then changes anything. If the journal is complete, the changes are completed; if not, the new \
            files are removed. If the changes can't be completed, because another program has created something at the same \
            place, they are undone. If that fails too, the place is reported and nothing is deleted: the files that were \
            replaced or deleted are in `TARGET/.capsule-transaction/old`.
            """,
            """
            A transaction is used only if you own it and *TARGET*, and no other user can write to them. Otherwise the owner \
            is reported and nothing is touched. This applies to root too.
            """,
            """
            The next `apply` or `restore` of *TARGET* does the same automatically. Until then, other verbs refuse to read \
            *TARGET* if it can be between the two states. If several directories took part, such as an app and its app \
            groups, all of them are recovered, no matter which one you name.
            """,
            """
            A command writes a new file or directory as `.NAME.xxxxxxxx.tmp` next to its final place. A command that is \
            killed leaves this file behind. `recover` reports these files for *TARGET*, which can be any file or directory, \
            or not exist.
            """,
            """
            Commands make private copies, of databases for example, in `$TMPDIR` or `/tmp`, as `.capsule.xxxxxxxx.tmp`. To \
            find those that are left, name `$TMPDIR/capsule`, which doesn't have to exist.
            """,
        ],
        examples: [
            Example(
                meaning: "Recover a container after a restore was killed:",
                command: "capsule recover com.example.gifs.xcappdata"),
            Example(
                meaning: "Recover the data of an app on the booted simulator:",
                command: "capsule recover sim:booted/com.example.gifs"),
            Example(
                meaning: "Delete private copies that killed commands left:",
                command: "capsule recover --clean \"$TMPDIR/capsule\""),
            Example(
                meaning: "Recover in a script, with the result as JSON:",
                command: "capsule recover --json com.example.gifs.xcappdata"),
        ],
        statuses: Meaning.statuses(
            done: "Success: nothing is unfinished.",
            failed:
                "Failure; a message on standard error says why. The transaction is still unfinished, and no data is lost."),
        environment: (Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) } + [
            Meaning("TMPDIR", "The directory for private temporary files; see above.")
        ]).sorted { $0.term < $1.term },
        related: ["apply", "unpack"])
}
