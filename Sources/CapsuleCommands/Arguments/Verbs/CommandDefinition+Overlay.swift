import CapsuleEngine

extension CommandDefinition {
    /// `capsule overlay`
    static let overlay = CommandDefinition(
        verb: "overlay",
        summary: "check, show, compose and invert overlays",
        otherWords: ["overlays"],
        forms: [
            CommandForm(
                .overlayCheck, word: "check", summary: "say whether FILE is a sound overlay",
                [Positional(.overlay, "FILE", .file(.input))], flags: [.deep]),
            CommandForm(
                .overlayShow, word: "show", summary: "print what FILE does, a line for each step",
                [Positional(.overlay, "FILE", .file(.input))], flags: [.deep, .full]),
            CommandForm(
                .overlayCompose, word: "compose", summary: "make one overlay of several, to be applied in that order",
                [Positional(.overlays, "FILE", .file(.input), .some)], flags: [.output, .force]),
            CommandForm(
                .overlayInvert, word: "invert", summary: "make the overlay that takes FILE back",
                [Positional(.overlay, "FILE", .file(.input))], flags: [.output, .force]),
            CommandForm(
                .overlayIdentities, word: "identities", summary: "print how the elements of known arrays pair", [], flags: []),
        ],
        flags: overlayOutput + overlayInput + Flag.common,
        constraints: [
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .choice([.output], for: .overlayCompose, reason: "'-o -' writes to standard output"),
            .choice([.output], for: .overlayInvert, reason: "'-o -' writes to standard output"),
        ] + Constraint.common,
        description: [
            """
            An overlay turns one property list into another. It is a truncated property list that is merged deep, a JSON Merge \
            Patch (RFC 7396), a JSON Patch (RFC 6902), or a document: a dictionary with `CapsuleOverlay` = 1. The overlay of two \
            containers is a document with records of their files, in a capsule that carries the bytes. \
            `capsule-overlay`(5) describes it, and `capsule apply` applies it.
            """,
            """
            `check` names each operation that would do something else, or fail, if it were applied again: an overlay in a build \
            script should have none. Of an overlay that is not sound it says where, with line and column. Of one that is a capsule it reads \
            all that is carried and compares it with its digests.
            """,
            """
            `show` prints a line for each operation, and one for each record of a file: *A* for what is added, *D* deleted, *M* \
            modified, *T* what becomes another kind of entry, and `=` for what only must be so.
            """,
            """
            `compose` and `invert` write a document, or a capsule if there are files to carry. An overlay can be inverted if it \
            says what was there before, as those that `capsule diff` writes do unless `--one-way` was given.
            """,
        ],
        examples: [
            Example(
                meaning: "Check an overlay before it goes into a build script:",
                command: "capsule overlay check Testing.plist"),
            Example(
                meaning: "Take back what a run changed:",
                command: "capsule overlay invert run.plist -o back.plist"),
            Example(
                meaning: "See by what the elements of an array are known:",
                command: "capsule overlay identities"),
        ],
        statuses: Meaning.statuses(done: "Done; the overlay is sound."),
        environment: sorted(
            Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
                + [Meaning("CAPSULE_JOBS", "How many things to work on at once."), .sourceDateEpoch]),
        related: ["apply", "diff", "plist"])

    private static let overlayInput = [
        Flag(
            .deep, "deep", in: .overlay,
            summary: "read a JSON object as a truncated property list",
            details: """
                Read a JSON object as a truncated property list, merged deep, in which null takes a key away. Without this \
                flag it is a JSON Merge Patch (RFC 7396).
                """)
    ]

    private static let overlayOutput = [
        .force(
            summary: "replace an existing FILE",
            details: "Replace an existing *FILE* of `--output`, once the new one is whole."),
        Flag(
            .full, "full", in: .output,
            summary: "show values whole, however long",
            details: "Show values whole, however long. Otherwise long strings and data are cut, which is marked."),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the overlay to FILE",
            details: """
                Write the overlay to *FILE*: a document in XML where that can hold it, else in binary or JSON; a capsule if it \
                carries files. `-` is standard output.
                """),
    ]
}
