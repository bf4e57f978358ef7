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
            Prints all about *VERB*, as `capsule VERB --help` does; without *VERB*, all about capsule itself. \
            `capsule VERB -h` prints a short form, which fits on a screen.
            """
        ],
        examples: [
            Example(meaning: "List the verbs:", command: "capsule help"),
            Example(meaning: "Read all about one:", command: "capsule help pack"),
        ],
        statuses: Meaning.statuses(done: "Done. If the reader of a pipe goes away, that is no failure."),
        environment: Meaning.commonEnvironment.filter { $0.term == "NO_COLOR" },
        related: ["generate"])
}
