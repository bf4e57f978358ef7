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
                [Positional(.overlay, "FILE", .file(.input))], flags: [.deep]),
            CommandForm(
                .overlayShow, word: "show", summary: "print what FILE does, one line per step",
                [Positional(.overlay, "FILE", .file(.input))], flags: [.deep, .full]),
            CommandForm(
                .overlayCompose, word: "compose", summary: "combine overlays, in order, into one",
                [Positional(.overlays, "FILE", .file(.input), .some)], flags: [.output, .force]),
            CommandForm(
                .overlayInvert, word: "invert", summary: "make an overlay that undoes FILE",
                [Positional(.overlay, "FILE", .file(.input))], flags: [.output, .force]),
            CommandForm(
                .overlayIdentities, word: "identities", summary: "print how elements of known arrays are paired", [],
                flags: []),
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
            Check, show, compose and invert overlays. An overlay turns one property list into another. It is a partial \
            property list that is deep-merged, a JSON Merge Patch (RFC 7396), a JSON Patch (RFC 6902), or a document, that \
            is, a dictionary with `CapsuleOverlay` = 1. The overlay of two containers is a document with records of their \
            files, in a capsule that contains the bytes. `capsule-overlay`(5) describes overlays, and `capsule apply` \
            applies them.
            """,
            """
            `check` lists each operation that would fail, or make further changes, if the overlay were applied a second \
            time. An overlay in a build script should have none. For an invalid overlay it reports the place, with line and \
            column. For an overlay in a capsule it reads all stored bytes and compares their digests.
            """,
            """
            `show` prints one line for each operation and one for each record of a file: *A* for added, *D* deleted, *M* \
            modified, *T* a different kind of entry, and `=` for a precondition.
            """,
            """
            `compose` and `invert` write a document, or a capsule if there are files to store. An overlay can be inverted if \
            it contains the old values. Overlays from `capsule diff` do, unless `--one-way` was given.
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
        environment: sorted(
            Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
                + [Meaning("CAPSULE_JOBS", "The number of parallel jobs."), .sourceDateEpoch]),
        related: ["apply", "diff", "plist"])

    private static let overlayInput = [
        Flag(
            .deep, "deep", in: .overlay,
            summary: "read a JSON object as a partial property list",
            details: """
                Read a JSON object as a partial property list and deep-merge it; null removes a key. Without this flag it \
                is a JSON Merge Patch (RFC 7396).
                """)
    ]

    private static let overlayOutput = [
        .force(
            summary: "replace an existing FILE",
            details: "Replace an existing *FILE* of `--output` when the new one is complete."),
        Flag(
            .full, "full", in: .output,
            summary: "show values in full",
            details: "Show values in full. Without this flag, long strings and data are cut, and the output marks that."),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the overlay to FILE",
            details: """
                Write the overlay to *FILE*: a document in XML if possible, else in binary or JSON; a capsule if it contains \
                files. `-` is standard output.
                """),
    ]
}
