extension CommandDefinition {
    /// `capsule help`
    static let help = CommandDefinition(
        verb: "help",
        summary: "explain a verb",
        otherWords: ["usage"],
        forms: [CommandForm(.help, [Positional(.verb, "VERB", .verb, .optional)])],
        flags: Flag.common,
        constraints: Constraint.common,
        description: [
            """
            Print the full help of *VERB*, like `capsule VERB --help`. Without *VERB*, print the full help of capsule \
            itself. `capsule VERB -h` prints short help that fits on a screen.
            """
        ],
        examples: [
            Example(meaning: "List the verbs:", command: "capsule help"),
            Example(meaning: "Read the full help of a verb:", command: "capsule help pack"),
        ],
        statuses: Meaning.statuses(done: "Success."),
        environment: Meaning.commonEnvironment.filter { $0.term == "NO_COLOR" },
        related: ["generate"])
}
