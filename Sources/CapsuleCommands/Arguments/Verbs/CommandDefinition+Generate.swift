extension CommandDefinition {
    /// `capsule generate`
    static let generate = CommandDefinition(
        verb: "generate",
        summary: "make man pages and shell completions",
        otherWords: ["completion", "completions", "man"],
        forms: [
            CommandForm(
                .generateMan, word: "man", summary: "write the man pages into DIR, or print capsule.1",
                [Positional(.manDirectory, "DIR", .directory(.results), .optional)], flags: [.force]),
            CommandForm(
                .generateCompletions, word: "completions", summary: "print the completions for a shell",
                [Positional(.shell, "bash|zsh|fish", .words(Shell.self))], flags: []),
        ],
        flags: generateOutput + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            `capsule generate man` writes `capsule.1` and a page for each verb into *DIR*, which is made if it is missing; \
            a page that is there with another text is replaced only with `--force`. Without *DIR* it prints `capsule.1` on standard output.
            """,
            "`capsule generate completions` prints on standard output what teaches a shell to complete verbs, flags and values.",
        ],
        examples: [
            Example(meaning: "Install the man pages:", command: "capsule generate man ~/.local/share/man/man1"),
            Example(
                meaning: "Complete in bash, by a line in ~/.bashrc:",
                command: "eval \"$(capsule generate completions bash)\""),
            Example(
                meaning: "In zsh, by a file in a directory of fpath:",
                command: "capsule generate completions zsh > ~/.zsh/completions/_capsule"),
            Example(
                meaning: "In fish, by a line in config.fish:",
                command: "capsule generate completions fish | source"),
        ],
        statuses: Meaning.statuses(done: "Done. If the reader of a pipe goes away, that is no failure."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) },
        related: ["help"])

    private static let generateOutput: [Flag] = [
        .force(summary: "replace man pages with another text", details: "Replace man pages in *DIR* that have another text.")
    ]
}
