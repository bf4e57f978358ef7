import CapsuleContainers
import CapsuleEngine

extension CommandDefinition {
    /// `capsule overlay`
    static let overlay = CommandDefinition(
        verb: "overlay",
        summary: "check, show, compose and invert overlays",
        otherWords: ["overlays"],
        forms: [
            CommandForm(
                .overlayCheck, word: "check", summary: "check that FILE is a valid overlay",
                .file, flags: FlagDefinition.list(.deep)),
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
            .deep, .full,
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
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
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
            `check` reports errors with line and column. It also lists each operation that may fail, or change \
            something again, when the overlay is applied a second time. An overlay in a build script should have \
            none. In an overlay of containers, such operations run again only on files that have changed in between.
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
                command: "capsule overlay check Testing.plist"),
            Example(
                meaning: "Make an overlay that undoes the changes of a run:",
                command: "capsule overlay invert run.plist -o back.plist"),
            Example(
                meaning: "See how the elements of arrays are paired:",
                command: "capsule overlay identities"),
        ],
        statuses: Meaning.statuses(done: "Success. For `check`: the overlay is OK."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
            + [Meaning("CAPSULE_JOBS", "The number of parallel jobs."), .sourceDateEpoch],
        related: ["apply", "diff", "plist"])
}
