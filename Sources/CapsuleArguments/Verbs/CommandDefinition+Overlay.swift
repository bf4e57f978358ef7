import CapsuleContainers

extension CommandDefinition {
    static let overlay = CommandDefinition(
        verb: "overlay",
        summary: "check, show, compose and invert overlays",
        otherWords: ["overlays"],
        forms: [
            CommandForm(
                .overlayCheck, word: "check", summary: "check that FILE is a valid overlay",
                .file, flags: FlagDefinition.list(.deep, .definitions, .expand, .onTarget, .targetPath)),
            CommandForm(
                .overlayShow, word: "show", summary: "print what FILE does, one line per step",
                .file, flags: FlagDefinition.list(.deep, .full)),
            CommandForm(
                .overlayCompose, word: "compose", summary: "combine overlays, in order, into one",
                .overlays.named("FILE"), flags: FlagDefinition.list(.force, .output)),
            CommandForm(
                .overlayInvert, word: "invert", summary: "make an overlay that undoes FILE",
                .file, flags: FlagDefinition.list(.force, .output)),
            CommandForm(
                .overlayIdentities, word: "identities", summary: "print how elements of known arrays are paired",
                flags: []),
        ],
        flags: FlagDefinition.list(
            .deep, .full, .definitions, .expand, .onTarget, .targetPath,
            .force.replacing(
                summary: "replace an existing FILE",
                details: "Replace an existing *FILE* of `--output`."),
            .output.worded(
                summary: "write the overlay to FILE",
                details: """
                    Write the overlay to *FILE*. An overlay that contains files is a capsule, and its name should end in \
                    `.capsule`. `-` is standard output.
                    """)),
        constraints: [
            .conflict(Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .choice([Constraint.Use(.output)], for: .overlayCompose, reason: "'-o -' writes to standard output"),
            .choice([Constraint.Use(.output)], for: .overlayInvert, reason: "'-o -' writes to standard output"),
        ],
        description: [
            """
            Check, show, combine and invert overlays. An overlay is a file that describes changes to a property list \
            or a container. `capsule diff --overlay` writes overlays, `capsule apply` applies them, and `capsule \
            help overlays` describes what they contain.
            """,
            """
            `check` reports errors with line and column. With `--on`, it also applies the overlay twice in memory to a \
            property list. An overlay in a build script should change nothing the second time.
            """,
            """
            `show` prints one line for each operation and each file. For a file, `A` is added, `D` deleted, `M` \
            modified, `T` a different type, and `=` a file that must be as the overlay expects before anything is \
            changed.
            """,
            """
            `compose` writes one overlay that does what several overlays do in order. `invert` writes an overlay \
            that undoes another. To be inverted, an overlay must contain the old values. Overlays from `capsule \
            diff` do, except with `--one-way` or `--plain`.
            """,
        ],
        examples: [
            Example(
                meaning: "Check an overlay before you use it in a build script:",
                command: "capsule overlay check Testing.plist --on Info.plist"),
            Example(
                meaning: "Make an overlay that undoes the changes of a run:",
                command: "capsule overlay invert run.plist -o back.plist"),
            Example(
                meaning: "See how the elements of arrays are paired:",
                command: "capsule overlay identities"),
        ],
        statuses: [
            Meaning("0", "Success. For `check`: the overlay is OK."),
            Meaning("1", "With `--on`: applied again, the overlay would fail or make further changes."),
            Meaning("2", "Failure; a message on standard error says why."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
            + [Meaning("CAPSULE_JOBS", "The number of parallel jobs."), .sourceDateEpoch],
        related: ["apply", "diff", "plist"])
}

extension Flag<[UInt8]?> {
    package static var onTarget: Self {
        Self(
            "on", value: "TARGET", .file(.input), in: .overlay,
            summary: "check that applying FILE to TARGET twice is like once",
            details: """
                Apply *FILE* to the property list *TARGET* twice, in memory, and compare the result with that of applying it \
                once. If they differ, the exit status is 1. *TARGET* is not changed.
                """)
    }
}
