extension CommandDefinition {
    /// `capsule diff`
    static let diff = CommandDefinition(
        verb: "diff",
        summary: "show what differs between two property lists",
        otherWords: ["cmp", "compare", "difference"],
        forms: [CommandForm(.diff, [Positional(.old, "A", .file), Positional(.new, "B", .file)])],
        flags: diffInput + diffOutput + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.nameStatus), Constraint.Use(.json), reason: nil),
            .conflict(Constraint.Use(.nameStatus), Constraint.Use(.full), reason: "'--name-status' shows no values"),
            .requirement(
                Constraint.Use(.nameStatus), of: Constraint.Use(.null), reason: "only '--name-status' has names to end"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.plain), reason: "it says what kind of overlay is written"),
            .conflict(
                Constraint.Use(.overlayFile, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.overlayFile, ["-"]), Constraint.Use(.nameStatus),
                reason: "both would write to standard output"),
        ] + Constraint.common,
        description: [
            """
            Compares the property lists *A* and *B*, whatever their encodings, and prints a line for each place that differs: \
            `+` for what only *B* has, `-` for what only *A* has, `~` for what changed. A place is a JSON Pointer. The order of \
            keys does not count, types do: 1, 1.0 and true are three values.
            """,
            """
            Elements of arrays are paired by what they are known by, as `capsule overlay identities` lists it, and then have \
            that in the pointer: `/CFBundleURLTypes/[CFBundleURLName=login]`. Property lists inside of data are compared too.
            """,
        ],
        examples: [
            Example(meaning: "See what a test run left in the defaults:", command: "capsule diff before.plist after.plist"),
            Example(
                meaning: "Write that as an overlay, to be applied, inverted or composed:",
                command: "capsule diff before.plist after.plist --overlay run.plist"),
            Example(
                meaning: "Let a CI job fail if a run changed anything:",
                command: "capsule diff -q before.plist after.plist"),
        ],
        statuses: [
            Meaning("0", "Both are the same; with `--exit-zero` also if they differ."),
            Meaning("1", "They differ, in values or in encoding only."),
            Meaning("2", "Failure; a message on standard error says why."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) },
        related: ["apply", "overlay", "plist"])

    private static let diffInput = [
        Flag(
            .arrays, "arrays", value: Flag.Value("PATTERN=IDENTITY", .text, isRepeatable: true), in: .input,
            summary: "how the elements of arrays pair (repeatable)",
            details: """
                Say how the elements of the arrays that *PATTERN* names pair: `keyed(KEY)`, `keyed(KEY?)`, \
                `keyed(KEY), nocase`, `set`, `ordered` or `replace`, which compares them as sequences. Repeatable.
                """)
    ]

    private static let diffOutput = [
        Flag(
            .exitZero, "exit-zero", in: .output,
            summary: "end with status 0 even if they differ",
            details: "End with status 0 even if they differ, for scripts that stop at anything else."),
        Flag(
            .full, "full", in: .output,
            summary: "show values whole, however long",
            details: "Show values whole, however long. Otherwise long strings and data are cut, which is marked."),
        Flag(
            .nameStatus, "name-status", in: .output,
            summary: "show A, M, D, O or E and a pointer for each change",
            details: """
                Show one line for each change: `A` added, `M` modified, `D` deleted, `O` another order, `E` the same value in \
                another encoding; then a tab and the pointer, in C's quotation where it has control characters.
                """),
        Flag(
            .null, "null", "z", in: .output,
            summary: "with --name-status: end all with NUL, and quote nothing",
            details: "With `--name-status`: end letters and pointers with NUL instead, and quote nothing."),
        Flag(
            .overlayFile, "overlay", value: Flag.Value("FILE", .file), in: .output,
            summary: "write the overlay that turns A into B to FILE",
            details: """
                Write to *FILE* the overlay that turns *A* into *B*, as a document with the old values in it, so that it can be \
                inverted and tests what it changes. It changes values, and leaves the encoding as it is. `-` is standard output, in place of the lines. An existing *FILE* is \
                replaced. It holds values old and new, secrets among them.
                """),
        Flag(
            .plain, "plain", in: .output,
            summary: "write a truncated property list as the overlay",
            details: """
                Write the overlay as the smallest truncated property list that, merged deep over *A*, gives *B*. Where there is \
                none, since something is removed or reordered, that is an error that says where.
                """),
    ]
}
