extension CommandDefinition {
    /// `capsule drop`
    static let drop = CommandDefinition(
        verb: "drop",
        summary: "delete classes of noise, such as caches, in a live container",
        otherWords: ["clean", "clear", "flush", "purge", "wipe"],
        forms: [
            CommandForm(
                .drop, [Positional(.target, "TARGET", .container(.target)), Positional(.noise, "CLASS", .text, .some)])
        ],
        flags: [.noCache(in: .input)] + restoreOutput + Flag.common,
        constraints: restoreConstraints + Constraint.common,
        description: [
            """
            Delete the files of each *CLASS* of noise in the live container *TARGET*, and leave everything else alone; the \
            directories of a class are emptied, not deleted. *CLASS* is \
            `scene-sessions` (Library/Saved Application State), `splashboard` (Library/SplashBoard), `caches` \
            (Library/Caches), `system` (the system's files in SystemData) or `tmp`. Several can be given, also with commas \
            between them.
            """,
            """
            Use it after you change the scene configuration in an Info.plist: iOS asks the app for it again only when the \
            scene sessions are gone. The classes are those of `pack --drop` and `restore --drop`.
            """,
            """
            The deletion is one transaction, as with `capsule restore`: if anything fails, *TARGET* is unchanged. Stop the \
            app first.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Let iOS ask for the scene configuration again:",
                command: "capsule drop sim:booted/com.example.gifs scene-sessions"),
            Example(
                meaning: "Show what would be deleted:",
                command: "capsule drop Data caches tmp --dry-run"),
            Example(
                meaning: "Delete caches, and write an undo file:",
                command: "capsule drop Data caches --undo caches.capsule"),
        ],
        statuses: [
            Meaning("0", "Success, also if there was nothing to delete. With `--check`: nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was changed."),
        ] + Meaning.always,
        environment: sorted(Meaning.commonEnvironment + [.cacheHome]),
        related: ["diff", "pack", "restore", "undo"])
}
