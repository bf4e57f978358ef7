extension CommandDefinition {
    /// `capsule restore`
    static let restore = CommandDefinition(
        verb: "restore",
        summary: "make a live container equal to a version",
        otherWords: ["checkout", "reset", "revert", "rollback", "rsync", "sync", "undo"],
        forms: [
            CommandForm(
                .restore,
                [Positional(.container, "CONTAINER", .container(.input)), Positional(.target, "TARGET", .container(.target))])
        ],
        flags: restoreInput + restoreOutput + restoreOverlays + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.check), Constraint.Use(.undo), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.undo), reason: "'--dry-run' writes nothing"),
            .conflict(Constraint.Use(.check), Constraint.Use(.dryRun), reason: "each is a way to write nothing"),
            .conflict(Constraint.Use(.check), Constraint.Use(.simctl), reason: "'--check' touches nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.simctl), reason: "'--dry-run' touches nothing"),
            .conflict(Constraint.Use(.undo, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        ] + ofCarriedOverlays + Constraint.common,
        description: [
            """
            Makes the live container *TARGET* equal to *CONTAINER*: the reset between two tests. What is equal is not touched, \
            what differs is put back, and what *CONTAINER* does not have is deleted. Files are compared by content, mode and \
            extended attributes, whatever their times.
            """,
            """
            It is one transaction: everything is made ready inside *TARGET* first, and then renamed into place. If anything \
            fails, *TARGET* is as it was; after a crash the next `restore` or `apply`, or `capsule recover`, brings it to the \
            old or to the new state. An app that looks on may see the middle: stop it first.
            """,
            """
            The metadata plist, which says whose container *TARGET* is, stays as it is. A database goes as one with its logs: no \
            log of another state stays beside it. iOS keeps preferences in memory (cfprefsd): restart the app and, in a \
            simulator, that daemon.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Reset an app's data between two tests:",
                command: "capsule restore base.capsule sim:booted/com.example.gifs"),
            Example(
                meaning: "See what that would change:",
                command: "capsule restore base.capsule Data --dry-run"),
            Example(
                meaning: "Make iOS ask the app for its scene configuration again:",
                command: "capsule restore base.capsule Data --drop scene-sessions"),
            Example(
                meaning: "Keep the documents, and be able to go back:",
                command: "capsule restore base.capsule Data --keep Documents --undo back.capsule"),
        ],
        statuses: [
            Meaning("0", "Done; with `--check`, nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was changed."),
        ] + Meaning.always,
        environment: sorted(
            Meaning.commonEnvironment + [
                .cacheHome, Meaning("NAME", "Any variable that a condition or `$(NAME)` of an overlay asks for."),
            ]),
        related: ["apply", "diff", "locate", "pack", "recover", "unpack"])

    private static let restoreInput = [
        Flag(
            .allowUnmatched, "allow-unmatched", in: .input,
            summary: "restore even if a --keep matches nothing",
            details: """
                Restore even if a `--keep` matches neither anything in *TARGET* nor in *CONTAINER*: that is then a warning. \
                Without this flag it is an error, and nothing is written: what a misspelled pattern was to protect would be \
                replaced or deleted.
                """),
        Flag(
            .differentApp, "different-app", in: .input,
            summary: "allow a container of another app",
            details: """
                Allow a *TARGET* that is the container of an app with another bundle identifier, or that does not look like a \
                container at all.
                """),
        Flag(
            .drop, "drop", value: Flag.Value("CLASSES", .text), in: .input,
            summary: "delete classes of noise, as in scene-sessions,caches",
            details: """
                Leave what is of these classes of noise out of *CONTAINER*, as if it had none, so that *TARGET*'s own is \
                deleted: any of `scene-sessions` (Library/Saved Application State), `splashboard` (Library/SplashBoard), \
                `caches` (Library/Caches), `system` (what the system keeps in SystemData) and `tmp`, with commas between. \
                Without scene sessions iOS asks the app again for its scene configuration.
                """),
        Flag(
            .group, "group", value: Flag.Value("ID=DIR", .namedDirectory(.target), isRepeatable: true), in: .input,
            summary: "restore app group ID into DIR as well (repeatable)",
            details: """
                Restore the app group *ID* into the directory *DIR* as well. Groups that have no directory are passed over, \
                with a warning. Repeatable.
                """),
        Flag(
            .keptPath, "keep", value: Flag.Value("GLOB", .glob, isRepeatable: true), in: .input,
            summary: "leave what matches GLOB as it is (repeatable)",
            details: """
                Leave the entries whose whole path matches *GLOB* as they are, with all that is in them: they are neither \
                changed, nor deleted, nor made. A database is kept with its logs. `*` matches within a name and `**` across \
                directories; the pattern has to match the whole path. One that matches nothing is an error. Repeatable.
                """),
        .noCache(in: .input),
        Flag(
            .rebasePaths, "rebase-paths", in: .input,
            summary: "make paths of the old container those of TARGET",
            details: """
                In property lists, keyed archives among them, replace paths of the container of another installation by \
                those of *TARGET*. Without this flag they are reported.
                """),
    ]

    private static let restoreOutput =
        applyModes.filter { [.check, .dryRun].contains($0.id) } + [
            Flag(
                .simctl, "simctl", in: .output,
                summary: "stop the app in its simulator first (macOS)",
                details: """
                    Stop the app in its simulator, and end the daemon that keeps preferences in memory, before anything is \
                    changed. On macOS only; without this flag the commands that do it are shown.
                    """)
        ] + applyModes.suffix(1)

    private static let restoreOverlays =
        [appOfOverlays] + overlayReading.filter { [.define, .expand].contains($0.id) } + [
            Flag(
                .overlays, "overlays", in: .overlay,
                summary: "apply the overlays that the version carries",
                details: "Apply the overlays that the version carries, in their order, to the property lists that are restored.")
        ]
}
