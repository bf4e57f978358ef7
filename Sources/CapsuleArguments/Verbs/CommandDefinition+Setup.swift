extension CommandDefinition {
    static let git = CommandDefinition(
        verb: "git",
        summary: "make git diff and merge property lists by value",
        otherWords: ["attributes", "driver", "textconv"],
        forms: [
            CommandForm(
                .gitInstall, word: "install", summary: "register this program with git",
                flags: FlagDefinition.list(.globalScope, .localScope)),
            CommandForm(
                .gitUninstall, word: "uninstall", summary: "remove what install wrote",
                flags: FlagDefinition.list(.globalScope, .localScope)),
            CommandForm(
                .gitStatus, word: "status", summary: "show what is installed, and where",
                flags: FlagDefinition.list(.globalScope, .localScope)),
            CommandForm(
                .gitTextconv, word: "textconv", summary: "print FILE as text for git to compare",
                .file, flags: []),
            CommandForm(
                .gitMergeDriver, word: "merge-driver", summary: "merge three versions of a file for git",
                .driverBase, .driverOurs, .driverTheirs, .markSize, .driverPath, flags: []),
        ],
        flags: FlagDefinition.list(.globalScope, .localScope),
        constraints: [
            .conflict(Constraint.Use(.globalScope), Constraint.Use(.localScope), reason: "both set the repositories")
        ],
        description: [
            """
            After `capsule git install`, `git diff` shows property lists value by value, each with its pointer, and capsules \
            entry by entry. `git merge`, `git rebase` and `git cherry-pick` merge property lists by their values: changes to \
            different keys, or to different elements of an array whose elements can be identified, merge without a conflict, \
            even on adjacent lines.
            """,
            """
            `install` writes settings with `git config`, and lines to `info/attributes` in the repository's git directory, \
            which is not committed. With `--global` it writes to the file that `core.attributesFile` names. The diff driver \
            is for `.plist`, `.strings`, `.stringsdict`, `.xcstrings`, `.entitlements`, `.xctestplan` and `.capsule`; the merge driver is \
            for all of these except `.capsule`. Git itself handles `.pbxproj`. `uninstall` removes these settings and \
            lines; a file that has become empty stays. `status` shows what is installed in the repository and globally.
            """,
            """
            Git calls `textconv` and `merge-driver`. `textconv` prints a line for each value, with keys in order, so \
            comments and layout don't show; git's own flag *no-textconv* shows them. For a file with conflict markers, it \
            prints both sides this way, with markers around the differences. Other files are printed unchanged.
            """,
            """
            `merge-driver` merges *BASE*, *OURS* and *THEIRS* and writes the result to *OURS*. If both sides changed one \
            place differently, the result has both between conflict markers of *SIZE* characters, around whole lines; a \
            binary property list becomes XML. If one of the three can't be read as a property list, they are merged as text, \
            as git does. If that would turn two property lists into a file that is not one, all differences become one \
            conflict. If git can't merge the text either, the status is 255, and the file has all of both sides as one \
            conflict. *PATH* is the name for messages.
            """,
            """
            Git doesn't pass -Xours, -Xtheirs or the flag *conflict* of `git checkout` to merge drivers, so they have no \
            effect on these files. To show the base between the markers, set `merge.conflictStyle` to `diff3` or `zdiff3`. \
            To take one side of a whole file, use the flags *ours* and *theirs* of `git checkout`.
            """,
        ],
        examples: [
            Example(meaning: "Install in a repository:", command: "capsule git install"),
            Example(meaning: "Install for all repositories of this user:", command: "capsule git install --global"),
            Example(meaning: "See what git compares:", command: "capsule git textconv Info.plist"),
            Example(meaning: "Remove everything that was installed:", command: "capsule git uninstall"),
        ],
        statuses: Meaning.statuses(done: "Success. For `merge-driver`: a clean merge.").flatMap { meaning in
            meaning.term == "2"
                ? [
                    Meaning("1", "For `merge-driver`: *OURS* has conflicts. For a merge as text, the status can be up to 125."),
                    meaning,
                ] : [meaning]
        } + [Meaning("255", "For `merge-driver`: failure; a message on standard error says why.")],
        environment: Meaning.commonEnvironment.filter { ["CAPSULE_JOBS", "NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
            + [
                Meaning("HOME", "The directory of git's global settings."),
                Meaning("PATH", "Where to find `git`, and whether `capsule` can be called by its name alone."),
                Meaning("XDG_CONFIG_HOME", "The directory of git's `git/attributes`; the default is `~/.config`."),
            ],
        related: ["diff", "plist"])

    static let generate = CommandDefinition(
        verb: "generate",
        summary: "write man pages and shell completions",
        otherWords: ["completion", "completions", "man"],
        forms: [
            CommandForm(
                .generateMan, word: "man", summary: "write the man pages to DIR, or print capsule.1",
                .manDirectory, flags: FlagDefinition.list(.bySection, .force)),
            CommandForm(
                .generateCompletions, word: "completions", summary: "print the completion script for a shell",
                .shell, flags: []),
        ],
        flags: FlagDefinition.list(
            .bySection,
            .force.replacing(
                summary: "replace man pages that differ",
                details: "Replace man pages in *DIR* that have different text.")),
        description: [
            """
            `capsule generate man` writes section 1 of the manual to *DIR*, and creates *DIR* if it does not exist: `capsule.1` \
            and a page for each verb. `make install` also installs section 5, the file formats. A page that exists with \
            different text is replaced only with `--force`. Without *DIR*, it prints `capsule.1` on standard output.
            """,
            """
            `capsule generate completions` prints a script on standard output with which a shell completes verbs, flags and \
            values.
            """,
        ],
        examples: [
            Example(meaning: "Install the man pages:", command: "capsule generate man ~/.local/share/man --by-section"),
            Example(
                meaning: "Set up completion in bash, in ~/.bashrc:",
                command: "eval \"$(capsule generate completions bash)\""),
            Example(
                meaning: "In zsh, in a directory of fpath:",
                command: "capsule generate completions zsh > ~/.zsh/completions/_capsule"),
            Example(
                meaning: "In fish, in config.fish:",
                command: "capsule generate completions fish | source"),
        ],
        statuses: Meaning.statuses(done: "Success."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) },
        related: ["help"])

    static let help = CommandDefinition(
        verb: "help",
        summary: "explain a verb, a form of it, or a guide",
        otherWords: ["usage"],
        forms: [CommandForm(.help, .topics)],
        description: [
            """
            Print the full help of *TOPIC*: a verb, like `capsule VERB --help`, a verb and its form, such as `plist get`, \
            or a guide. Without *TOPIC*, print the full help of capsule itself, which lists the verbs and the guides. `capsule VERB -h` prints short help that fits on a screen.
            """,
            """
            A guide is a card of at most 40 lines: the words of expectations, noise rules and overlays, of the reports that \
            scripts read, and of the capsule file, with examples. It names the page with the full text.
            """,
            """
            On a terminal, help that is longer than the screen goes through a pager.
            """,
        ],
        examples: [
            Example(meaning: "List the verbs and the guides:", command: "capsule help"),
            Example(meaning: "Read the full help of a verb:", command: "capsule help pack"),
            Example(meaning: "Read the help of one form of a verb:", command: "capsule help plist get"),
            Example(meaning: "Learn how to write an expectation:", command: "capsule help expectations"),
        ],
        statuses: Meaning.statuses(done: "Success."),
        environment: Meaning.commonEnvironment.filter { $0.term == "NO_COLOR" } + [.pager],
        related: ["generate"])
}

extension Flag<Bool> {
    package static var globalScope: Self {
        Self(
            "global", in: .output,
            summary: "all repositories of this user",
            details: "Apply to all repositories of this user, like `git config --global`.")
    }

    package static var localScope: Self {
        Self(
            "local", in: .output,
            summary: "this repository and its worktrees (the default)",
            details: """
                Apply to the repository of the current directory, with all its worktrees: the default of `install` and \
                `uninstall`. Without a flag, `status` shows both.
                """)
    }

    package static var bySection: Self {
        Self(
            "by-section", in: .output,
            summary: "write the pages to DIR/man1",
            details: "Write the pages to a directory of their section, *DIR*`/man1`, where `man` looks for them.")
    }
}

extension Positional<[UInt8]> {
    package static var driverBase: Self { Self("BASE", .file(.input)) }
    package static var driverOurs: Self { Self("OURS", .file(.target)) }
    package static var driverTheirs: Self { Self("THEIRS", .file(.input)) }
    package static var markSize: Self { Self("SIZE", .path) }
    package static var driverPath: Self { Self("PATH", .path) }
}

extension Positional<[UInt8]?> {
    package static var manDirectory: Self { Self(optional: "DIR", .directory(.results)) }
}

extension Positional<Shell> {
    package static var shell: Self { Self("bash|zsh|fish", .words) }
}

extension Positional<[[UInt8]]> {
    package static var topics: Self { Self("TOPIC", .topic, .any) }
}
