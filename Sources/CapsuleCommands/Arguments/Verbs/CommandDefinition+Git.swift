extension CommandDefinition {
    /// `capsule git`
    static let git = CommandDefinition(
        verb: "git",
        summary: "let git show and merge property lists by their values",
        otherWords: ["attributes", "driver", "textconv"],
        forms: [
            CommandForm(
                .gitInstall, word: "install", summary: "tell git of this program", [], flags: [.globalScope, .localScope]),
            CommandForm(
                .gitUninstall, word: "uninstall", summary: "take away what install wrote", [],
                flags: [.globalScope, .localScope]),
            CommandForm(
                .gitStatus, word: "status", summary: "say what is installed where", [], flags: [.globalScope, .localScope]),
            CommandForm(
                .gitTextconv, word: "textconv", summary: "print FILE as git is to compare it",
                [Positional(.file, "FILE", .file(.input))], flags: []),
            CommandForm(
                .gitMergeDriver, word: "merge-driver", summary: "merge three versions of a file, as git calls it",
                [
                    Positional(.driverBase, "BASE", .file(.input)), Positional(.driverOurs, "OURS", .file(.target)),
                    Positional(.driverTheirs, "THEIRS", .file(.input)), Positional(.markSize, "SIZE", .path),
                    Positional(.driverPath, "PATH", .path),
                ], flags: []),
        ],
        flags: gitFlags + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.globalScope), Constraint.Use(.localScope), reason: "both say for which repositories")
        ] + Constraint.common,
        description: [
            """
            After `capsule git install`, `git diff` shows property lists value by value, each with its pointer, and capsules entry \
            by entry; and `git merge`, `git rebase` and `git cherry-pick` merge property lists by their values: changes of \
            different keys, or of different elements of an array whose elements are known, meet without a conflict, \
            however near they stand.
            """,
            """
            `install` writes settings by `git config`, and lines into `info/attributes` in the repository's own directory, where \
            they are nobody else's; with `--global` into the file of `core.attributesFile`. A diff driver is for `.plist`, \
            `.strings`, `.stringsdict`, `.entitlements`, `.xctestplan` and `.capsule`, the merge driver for all of these but the last; \
            `.pbxproj` stays git's. `uninstall` takes away exactly that. `status` names what is there in the repository and for all.
            """,
            """
            `textconv` and `merge-driver` are for git to call. `textconv` prints a line for each value, keys in order, so that \
            comments and layout do not show; git's own flag *no-textconv* shows them. Of a file in conflict it prints both sides so, with \
            the marks around what differs. What is no property list it prints as it is.
            """,
            """
            `merge-driver` writes the merge of *BASE*, *OURS* and *THEIRS* in the place of *OURS*. Where both sides changed one place \
            differently, it holds both between conflict marks of *SIZE* characters around whole lines, a binary property list as XML. Where \
            one of the three can't be read as a property list, it is merged as text, as git does by itself, unless two property lists would \
            become what is none: then all that differs is one conflict. If git does not merge it either, the status is \
            255, and the file holds all of both sides as one conflict. *PATH* is the name for messages.
            """,
            """
            What git is told of conflicts on its command line does not reach a merge driver, and changes nothing for these files: \
            *ours* or *theirs* behind the flag *X* of `git merge`, which leaves their conflicts open, and the flag *conflict* of \
            `git checkout`. The base's lines stand between the marks if the setting `merge.conflictStyle` is `diff3` or `zdiff3`; one \
            side of a whole file is taken by the flags *ours* and *theirs* of `git checkout`.
            """,
        ],
        examples: [
            Example(meaning: "In a repository:", command: "capsule git install"),
            Example(meaning: "For all repositories of this user:", command: "capsule git install --global"),
            Example(meaning: "See what git would compare:", command: "capsule git textconv Info.plist"),
            Example(meaning: "Leave no trace:", command: "capsule git uninstall"),
        ],
        statuses: Meaning.statuses(done: "Done; of `merge-driver`, a clean merge.").flatMap { meaning in
            meaning.term == "2"
                ? [Meaning("1", "Of `merge-driver`: *OURS* holds conflicts; up to 125 of a merge as text."), meaning] : [meaning]
        } + [Meaning("255", "Of `merge-driver`: failure; a message on standard error says why.")],
        environment: sorted(
            Meaning.commonEnvironment.filter { ["CAPSULE_JOBS", "NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) } + [
                Meaning("HOME", "Where git keeps the settings for all repositories."),
                Meaning("PATH", "Where `git` is found, and whether `capsule` is found by its name alone."),
                Meaning("XDG_CONFIG_HOME", "Where git's `git/attributes` is, if it is set; else in `~/.config`."),
            ]),
        related: ["diff", "plist"])

    private static let gitFlags = [
        Flag(
            .globalScope, "global", in: .output,
            summary: "for all repositories of this user",
            details: "For all repositories of this user, as `git config --global` has it."),
        Flag(
            .localScope, "local", in: .output,
            summary: "for the repository here, with its worktrees (the default)",
            details: """
                For the repository around the current directory, with all its worktrees: the default of `install` and \
                `uninstall`. Without a flag `status` tells of both.
                """),
    ]
}
