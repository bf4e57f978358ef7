extension CommandDefinition {
    static let restore = CommandDefinition(
        verb: "restore",
        summary: "make a live container equal to a version",
        otherWords: ["checkout", "reset", "revert", "rollback", "rsync", "sync"],
        forms: [
            CommandForm(.restore, .container, .target.taking(.container(.target)))
        ],
        flags: restoring
            + FlagDefinition.list(
                .allowUnmatched, .app, .applyOverlays, .definitions, .expand, .identity, .keptPaths, restoringKeychain, .noGroups,
                .onlyPaths, .rebasePaths,
                .differentApp.worded(
                    summary: "allow a container of a different app",
                    details: "Allow a *TARGET* that belongs to an app with a different bundle identifier."),
                .drop.worded(
                    summary: "delete classes of noise, such as caches,tmp",
                    details: """
                        Delete files of these classes in *TARGET*, and don't restore them. *CLASSES* is a comma-separated \
                        list of `scene-sessions` (Library/Saved Application State), `splashboard` (Library/SplashBoard), \
                        `caches` (Library/Caches), `system` (the system's files in SystemData) and `tmp`. Without scene \
                        sessions, iOS asks the app for its scene configuration again.
                        """),
                .groups.worded(
                    used: .target,
                    summary: "also restore app group ID to DIR (repeatable)",
                    details: """
                        Also restore the app group *ID* to the directory *DIR*. Other app groups are skipped, with a \
                        warning. Repeatable.
                        """)),
        constraints: restoreConstraints + ofCarriedOverlays + [
            .conflict(Constraint.Use(.onlyPaths), Constraint.Use(.app), reason: "'--only' restores nothing but what it selects")
        ],
        description: [
            """
            Make the live container *TARGET* equal to *CONTAINER*, for example to reset an app between two tests. \
            Files that already match are not touched, and files that *CONTAINER* does not have are deleted. Times \
            are not compared.
            """,
            """
            Stop the app first, or use `--simctl`. A running app can see a half-restored state, and can overwrite \
            it.
            """,
            """
            The restore is one transaction. If anything fails, *TARGET* is unchanged. After a crash, `capsule \
            recover` or the next restore completes or undoes it.
            """,
            """
            A database is restored together with its logs. *TARGET* stays the container of its app: the metadata \
            with which iOS identifies it is not changed. iOS keeps preferences in memory (cfprefsd); `--simctl` ends \
            that process in the simulator.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Reset an app's data between two tests:",
                command: "capsule restore base.capsule sim:booted/com.example.gifs"),
            Example(
                meaning: "Show what a restore would change:",
                command: "capsule restore base.capsule Data --dry-run"),
            Example(
                meaning: "Keep the documents, and write an undo file:",
                command: "capsule restore base.capsule Data --keep Documents --undo back.capsule"),
            Example(
                meaning: "Restore only the documents:",
                command: "capsule restore base.capsule Data --only Documents"),
        ],
        statuses: [
            Meaning("0", "Success. With `--check`: nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was changed."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [
            .cacheHome, Meaning("NAME", "Any variable that a condition or `$(NAME)` of an overlay uses."),
        ],
        related: ["apply", "diff", "drop", "locate", "pack", "recover", "undo", "unpack"])

    static let restoreConstraints: [Constraint] = [
        .conflict(Constraint.Use(.check), Constraint.Use(.undo), reason: "'--check' writes nothing"),
        .conflict(Constraint.Use(.dryRun), Constraint.Use(.undo), reason: "'--dry-run' writes nothing"),
        .conflict(Constraint.Use(.check), Constraint.Use(.dryRun), reason: "both write nothing"),
        .conflict(Constraint.Use(.check), Constraint.Use(.simctl), reason: "'--check' touches nothing"),
        .conflict(Constraint.Use(.dryRun), Constraint.Use(.simctl), reason: "'--dry-run' touches nothing"),
        .conflict(Constraint.Use(.undo, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        .conflict(Constraint.Use(.undo), Constraint.Use(.noUndo), reason: nil),
    ]

    private static let restoring = FlagDefinition.list(
        .anyDirectory, .check, .dryRun, .noCache, .noUndo, .simctl, .undo)

    private static let restoringKeychain = Flag<Bool>.keychain.worded(
        summary: "also restore the keychain of the whole device",
        details: """
            Also restore the keychain that *CONTAINER* has to the simulator that the app is on. All other apps there get its logins, \
            too. The simulator must be shut down, or `--simctl` shuts it down and boots it again. No Mac has shown yet that iOS \
            accepts a restored keychain.
            """)

    static let drop = CommandDefinition(
        verb: "drop",
        summary: "delete classes of noise, such as caches, in a live container",
        otherWords: ["clean", "clear", "flush", "purge", "wipe"],
        forms: [CommandForm(.drop, .target.taking(.container(.target)), .noise)],
        flags: restoring,
        constraints: restoreConstraints,
        description: [
            """
            Delete the files of each *CLASS* of noise in the live container *TARGET*, and leave everything else alone; the \
            directories of a class are emptied, not deleted. *CLASS* is \
            `scene-sessions` (Library/Saved Application State), `splashboard` (Library/SplashBoard), `caches` \
            (Library/Caches), `system` (the system's files in SystemData) or `tmp`. Several can be given, also with commas \
            between them. `all` by itself deletes everything that the app made, as before its first launch: the directories of the \
            system and the metadata stay.
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
                meaning: "Start from nothing, as at the first launch:",
                command: "capsule drop sim:booted/com.example.gifs all"),
            Example(
                meaning: "Delete caches, and write an undo file:",
                command: "capsule drop Data caches --undo caches.capsule"),
        ],
        statuses: [
            Meaning("0", "Success, also if there was nothing to delete. With `--check`: nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was changed."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [.cacheHome],
        related: ["diff", "pack", "restore", "undo"])
}

extension Flag<Bool> {
    package static var allowUnmatched: Self {
        Self(
            "allow-unmatched", in: .input,
            summary: "restore even if --keep or --only matches nothing",
            details: """
                Restore even if a `--keep` pattern matches nothing, or a `--only` pattern matches nothing in *CONTAINER*. \
                Without this flag that is an error, because after a typo Capsule would delete files that you want to keep.
                """)
    }

    package static var anyDirectory: Self {
        Self(
            "any-directory", in: .input,
            summary: "change TARGET even if it is not known to be the app's",
            details: """
                Delete and replace files even if *TARGET*, or the directory of an app group, has no metadata that says whose it is, and \
                does not look like this app's. The deleted files are listed. Use `--dry-run` with it first.
                """)
    }

    package static var rebasePaths: Self {
        Self(
            "rebase-paths", in: .input,
            summary: "make stored container paths point into TARGET",
            details: """
                In property lists, find stored paths that point into another container of the app, and change them \
                to point into *TARGET*. Without this flag, such paths are only reported, when their files are \
                restored.
                """)
    }

    package static var simctl: Self {
        Self(
            "simctl", in: .output,
            summary: "stop the app in its simulator first (macOS)",
            details: """
                Stop the app in its simulator, and end the process that keeps preferences in memory. This needs \
                macOS. Without this flag, Capsule prints the commands that do it.
                """)
    }
}

extension Flag<[[UInt8]]> {
    package static var keptPaths: Self {
        Self(
            "keep", values: "GLOB", .glob, in: .input,
            summary: "keep entries that match GLOB (repeatable)",
            details: """
                Don't change, delete or create entries whose path matches *GLOB*, or anything in them. `*` matches \
                within a name and `**` across directories. A pattern with wildcards and without a `/`, such as `*.log`, matches names in \
                every directory, and any other must match the whole path. Repeatable.
                """)
    }

    package static var onlyPaths: Self {
        Self(
            "only", values: "GLOB", .glob, in: .input,
            summary: "restore only entries that match GLOB (repeatable)",
            details: """
                Restore only entries whose path matches *GLOB*, with everything in them and all files of a database, and delete \
                what *CONTAINER* does not have there. Everything else in *TARGET* stays as it is; missing directories around \
                the entries are created. `--keep` has precedence. Repeatable.
                """)
    }
}

extension Positional<[String]> {
    package static var noise: Self { Self("CLASS", .noise, .some) }
}
