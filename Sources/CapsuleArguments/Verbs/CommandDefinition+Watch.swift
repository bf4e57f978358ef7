import CapsuleContainers

extension CommandDefinition {
    static let watch = CommandDefinition(
        verb: "watch",
        summary: "show what an app changes while it runs",
        otherWords: ["follow", "monitor", "tail"],
        forms: [CommandForm(.watch, .live)],
        flags: FlagDefinition.list(
            .all, .context, .full, .lines, .noCache, .rows, .rules, .showSecrets, .timeout, .until),
        description: [
            """
            Show each change of a live container as `capsule diff` shows it, below the time. A change is shown when it has \
            settled: 150 ms after the last write, or after 5 seconds of writing without such a pause. It is compared with the state \
            before it. `^C` ends the watch. Capsule changes nothing in *LIVE*.
            """,
            """
            The state before is in a private copy in memory, of at most 64 MB, the smallest files first. A larger container is \
            watched too: a changed file that is not in the copy is named, and a note says why it is not described.
            """,
            """
            Noise is hidden and counted at the end. App groups are not part of *LIVE*; watch their directories by themselves. \
            A change that is undone before it settles is not shown.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "See what an app does while you use it:", command: "capsule watch sim:booted/com.example.gifs"),
            Example(
                meaning: "Wait until the app has saved a file, at most a minute:",
                command: "capsule watch sim:booted/com.example.gifs --until '*.gif' --timeout 60"),
            Example(
                meaning: "See whether an idle app writes anything in ten seconds:", command: "capsule watch Data --timeout 10"),
            Example(
                meaning: "Wait until a value of the defaults becomes 7:",
                command: #"""
                    capsule watch Data --until '{"Pointer":"/launches","To":7}'
                    """#),
        ],
        statuses: [
            Meaning("0", "With `--until`: a change met the clause. Without it: `^C` or `--timeout` ended the watch."),
            Meaning("1", "With `--until`: no change met the clause before `--timeout`."),
            Meaning("2", "Failure, for example because *LIVE* was deleted; a message on standard error says why."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [.cacheHome],
        related: ["diff", "run"])
}

extension Flag<String?> {
    package static var until: Self {
        Self(
            "until", value: "CLAUSE", .text, in: .expectation,
            summary: "end when a change meets CLAUSE",
            details: """
                End with status 0 when a settled change meets *CLAUSE*: a clause of an expectation's `Must` in JSON, as in \
                `{"Path":"*.sqlite","Table":"ZGIF","Kind":"added"}`, or only the pattern of a path. Noise can meet it, too. \
                `capsule help expectations` describes clauses.
                """)
    }
}

extension Flag<Double?> {
    package static var timeout: Self {
        Self(
            "timeout", value: "SECONDS", .seconds(atMost: 86_400), in: .expectation,
            summary: "end after SECONDS",
            details: "End after *SECONDS*. With `--until`, the status is then 1: no change has met the clause.")
    }
}

extension Positional<[UInt8]> {
    package static var live: Self { Self("LIVE", .container(.input)) }
}
