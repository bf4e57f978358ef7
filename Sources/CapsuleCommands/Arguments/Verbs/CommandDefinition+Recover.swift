extension CommandDefinition {
    /// `capsule recover`
    static let recover = CommandDefinition(
        verb: "recover",
        summary: "finish or undo an apply or restore that was killed",
        otherWords: ["resume"],
        forms: [CommandForm(.recover, [Positional(.target, "TARGET", .file(.target))])],
        flags: [
            Flag(
                .clean, "clean", in: .output,
                summary: "delete what killed commands left beside TARGET",
                details: """
                    Delete what killed commands left beside *TARGET*, where it is proven that Capsule made it for you and that no command \
                    is at work on it. Everything else is only reported.
                    """)
        ] + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Looks for what an apply or a restore left in the directory *TARGET* that was killed, or that the power went from, \
            and brings the directory to one of two states: exactly as it was before, or exactly as it was to become. It says \
            which. Where nothing is unfinished it changes nothing.
            """,
            """
            An apply or a restore first makes all that is new in `TARGET/.capsule-transaction`, then writes down there what \
            it is about to do, and only then changes anything. What was written down is finished; what was not yet is taken \
            away. If it can't be finished, since another program has put something in the way meanwhile, it is undone. If \
            that can't be done either, the place is named, and nothing is deleted: what has gone from the tree is in \
            `TARGET/.capsule-transaction/old`.
            """,
            """
            Only what nobody else can have put there is followed: the transaction and *TARGET* belong to you, and others can't \
            write to them. Otherwise the owner is named, and nothing is touched. Root is no exception.
            """,
            """
            The next apply or restore of *TARGET* does the same by itself. Until then, verbs that only read refuse *TARGET* if \
            it may be neither as before nor as after. If several directories took part, as an app and its app \
            groups do, all of them are recovered, whichever is named.
            """,
            """
            A command writes a new file or directory beside its final place, as `.NAME.xxxxxxxx.tmp`, and a command that is killed leaves \
            it there. `recover` reports those of *TARGET*, which may be any file or directory, or be missing.
            """,
            """
            Commands make private copies of databases and the like in `$TMPDIR`, or in `/tmp`, as `.capsule.xxxxxxxx.tmp`. Those that are \
            left are the ones of `$TMPDIR/capsule`, whether there is such a file or not.
            """,
        ],
        examples: [
            Example(
                meaning: "Put a container in order after a restore was killed:",
                command: "capsule recover com.example.gifs.xcappdata"),
            Example(
                meaning: "The same for an app on the simulator that is booted:",
                command: "capsule recover sim:booted/com.example.gifs"),
            Example(
                meaning: "Delete the private copies that killed commands left:",
                command: "capsule recover --clean \"$TMPDIR/capsule\""),
            Example(
                meaning: "Do it in a script, and see what became of it:",
                command: "capsule recover --json com.example.gifs.xcappdata"),
        ],
        statuses: Meaning.statuses(
            done: "Nothing is unfinished, now or all along.",
            failed:
                "Failure; a message on standard error says why. What was unfinished still is, and nothing of it is lost."),
        environment: (Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) } + [
            Meaning("TMPDIR", "Where commands keep private files and copies; see above.")
        ]).sorted { $0.term < $1.term },
        related: ["apply", "unpack"])
}
