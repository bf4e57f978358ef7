extension CommandDefinition {
    /// `capsule generate`
    static let generate = CommandDefinition(
        verb: "generate",
        summary: "write man pages and shell completions",
        otherWords: ["completion", "completions", "man"],
        forms: [
            CommandForm(
                .generateMan, word: "man", summary: "write the man pages to DIR, or print capsule.1",
                [Positional(.manDirectory, "DIR", .directory(.results), .optional)], flags: [.bySection, .force]),
            CommandForm(
                .generateCompletions, word: "completions", summary: "print the completion script for a shell",
                [Positional(.shell, "bash|zsh|fish", .words(Shell.self))], flags: []),
        ],
        flags: generateOutput + Flag.common,
        constraints: Constraint.common,
        description: [
            """
            `capsule generate man` writes all pages of the manual to *DIR*, and creates *DIR* if it does not exist: \
            `capsule.1`, a page for each verb, and the pages about file formats, such as `capsule.5`. A page that exists with \
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

    private static let generateOutput: [Flag] = [
        Flag(
            .bySection, "by-section", in: .output,
            summary: "write the pages to DIR/man1 and DIR/man5",
            details: "Write the pages of each section to a directory of their own: *DIR*`/man1` and *DIR*`/man5`."),
        .force(summary: "replace man pages that differ", details: "Replace man pages in *DIR* that have different text."),
    ]
}
