import CapsuleContainers

extension CommandDefinition {
    static let run = CommandDefinition(
        verb: "run",
        summary: "run a command and show what it changed in a container",
        otherWords: ["exec", "execute", "record"],
        forms: [CommandForm(.run, .container, .program)],
        flags: judgingFlags
            + FlagDefinition.list(
                .from, .noUndo, .simctl,
                .drop.worded(
                    summary: "with --from: delete classes of noise, such as caches",
                    details:
                        "With `--from`: delete files of these classes, and don't restore them, as `capsule restore --drop` does."),
                .output.worded(
                    summary: "keep both states in the capsule FILE",
                    details: """
                        Keep both states in the new capsule *FILE*: version 1 has the label `before`, version 2 the label \
                        `after`. *FILE* appears when both are complete. If the state after *COMMAND* can't be packed, *FILE* has only \
                        the version `before`, and a note says so.
                        """)),
        constraints: judgingConstraints + [
            .requirement(Constraint.Use(.from), of: Constraint.Use(.simctl), reason: "it stops the app for the restore"),
            .requirement(Constraint.Use(.from), of: Constraint.Use(.drop), reason: "it is for the restore"),
            .requirement(Constraint.Use(.from), of: Constraint.Use(.noUndo), reason: "it is for the restore"),
            .conflict(Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        ],
        description: [
            """
            Pack *CONTAINER*, run *COMMAND*, pack *CONTAINER* again, and show what changed, as `capsule diff` does: *A* is \
            the state before, *B* the state after. With `--expect`, check the changes against an expectation: this runs a \
            test and checks its result.
            """,
            """
            *COMMAND* is a program with its arguments, found in `PATH`; to run a shell command line, use `sh -c`. It has the \
            standard input, output and error of `capsule`. With `--json` or `--name-status`, or if a report goes to standard output, the \
            output of *COMMAND* goes to standard error instead. `^C` ends *COMMAND* and then `capsule`. *COMMAND* must quit \
            the app before it exits; otherwise the app may still be writing.
            """,
            """
            *CONTAINER* is looked up again after *COMMAND*: `sim:booted/com.example.gifs` finds the new container if the \
            tests installed the app again. Without `--from`, Capsule itself changes nothing in it. The two states are in a private temporary capsule; \
            `--output` keeps it, with the labels `before` and `after`. If *COMMAND* fails, `--expect-update` changes nothing.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Fail if a UI test changes anything that is not expected:",
                command: "capsule run sim:booted/com.example.gifs --expect run.json -- ./test.sh"),
            Example(
                meaning: "See what a script changes in a directory:",
                command: "capsule run Data -- ./migrate.sh"),
            Example(
                meaning: "Start from a saved version, run the tests, and judge:",
                command: "capsule run Data --from base.capsule --expect run.json -- ./test.sh"),
            Example(
                meaning: "Keep both states; 'capsule restore run.capsule@before Data' then goes back:",
                command: "capsule run Data -o run.capsule -- ./test.sh"),
        ],
        statuses: [
            Meaning("0", "*COMMAND* succeeded. With `--expect`: and the expectation passed."),
            Meaning("1", "With `--expect`: failed."),
            Meaning("2", "Failure of `capsule` itself; a message on standard error says why."),
            Meaning("126", "*COMMAND* can't be run."),
            Meaning("127", "*COMMAND* is not found."),
            Meaning(
                "N",
                """
                If *COMMAND* fails, its own exit status, or 128 plus the number of the signal that ended it. The changes are \
                still shown and checked; a message on standard error says that *COMMAND* failed. If the state after \
                *COMMAND* can't be packed, a second message says why.
                """),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [
            .cacheHome, .pager, .sourceDateEpoch, Meaning("CI", "If set, as CI systems do, `--open` opens nothing."),
            .stepSummary("The Markdown report"),
        ],
        related: ["diff", "pack", "restore", "watch"])
}

extension Positional<[[UInt8]]> {
    package static var program: Self { Self("COMMAND", .program, .program) }
}

extension Flag<[UInt8]?> {
    package static var from: Self {
        Self(
            "from", value: "CONTAINER", .container(.input), in: .input,
            summary: "first make the container equal to a version",
            details: """
                Before the run, make the container equal to this one, as `capsule restore` does: restore, run and judge are one \
                command.
                """)
    }
}
