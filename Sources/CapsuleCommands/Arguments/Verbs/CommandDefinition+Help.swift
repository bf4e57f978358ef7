extension CommandDefinition {
    /// `capsule help`
    static let help = CommandDefinition(
        verb: "help",
        summary: "explain a verb, a form of it, or a file format",
        otherWords: ["usage"],
        forms: [CommandForm(.help, [Positional(.topics, "TOPIC", .topic, .any)])],
        flags: Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Print the full help of *TOPIC*: a verb, like `capsule VERB --help`, a verb and its form, such as `plist get`, a \
            guide, or a page of the manual, such as `capsule-diff` or `diff.5`. Without *TOPIC*, print the full help of capsule \
            itself, which lists the verbs and the guides. `capsule VERB -h` prints short help that fits on a screen.
            """,
            """
            The guides explain the grammar of expectations, noise rules and overlays, the reports that scripts read, and the \
            capsule file. They have everything that section 5 of the manual has.
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
