import CapsuleEngine

extension CommandDefinition {
    /// `capsule merge`
    static let merge = CommandDefinition(
        verb: "merge",
        summary: "merge what two containers made of a third one",
        otherWords: ["diff3", "mergetool", "merge-file", "threeway", "three-way"],
        forms: [
            CommandForm(
                .merge,
                [
                    Positional(.base, "BASE", .container(.input)), Positional(.ours, "OURS", .container(.input)),
                    Positional(.theirs, "THEIRS", .container(.input)),
                ])
        ],
        flags: mergeInput + mergeDecisions + mergeOutput + Flag.common,
        constraints: [
            .choice([.output], for: .merge, reason: "none of the three is changed"),
            .requirement(Constraint.Use(.partial), of: Constraint.Use(.marks), reason: "without it no open conflict is written"),
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.conflicts, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.conflicts, ["-"]), Constraint.Use(.output, ["-"]),
                reason: "both would write to standard output"),
        ] + Constraint.common,
        description: [
            """
            Merges what *OURS* and *THEIRS* made of *BASE*: three containers of any form, or three property lists. What one side \
            changed is taken from it; what both changed is merged by what it is: property lists and JSON by pointer, with the \
            elements of arrays paired by identity, texts by lines, SQLite databases by table and primary key. None of the three \
            is changed.
            """,
            """
            Where both sides changed one thing differently there is a conflict, and none is ever decided without being listed. \
            While one is open nothing is written, unless `--partial` asks for it. `--conflicts` writes them into a file in \
            which each gets a `Take` (base, ours, theirs, absent, or value with a `Value`); `--resolve` reads it back.
            """,
            """
            A container is written as a capsule if *FILE* ends in `.capsule`, else as a directory in the form of *OURS*, or as \
            a bundle if it ends in `.xcappdata`. Its metadata plist, wrapper and overlays are those of *OURS*. Files are \
            followed where one side renamed them; a database is one with its logs.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Merge what two testers did with the same data:",
                command: "capsule merge base.capsule ann.xcappdata bob.xcappdata -o all.capsule"),
            Example(
                meaning: "Merge three property lists:",
                command: "capsule merge Base.plist Info.plist Their.plist -o Merged.plist"),
            Example(
                meaning: "Write the conflicts into a file, and read back what was decided:",
                command: "capsule merge base ours theirs -o out --conflicts todo.plist"),
            Example(
                meaning: "Take theirs for all that is in Library:",
                command: #"capsule merge b o t -o out --prefer 'theirs={"Path":"Library/**"}'"#),
        ],
        statuses: [
            Meaning("0", "Merged, all conflicts decided."),
            Meaning("1", "Conflicts are open; only with `--partial` anything was written."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was written."),
        ] + Meaning.always,
        environment: sorted(
            Meaning.commonEnvironment + [
                .cacheHome, Meaning("SOURCE_DATE_EPOCH", "Seconds since 1970 to write down as the moment of merging."),
            ]),
        related: ["apply", "diff", "overlay", "pack"])

    private static let mergeInput = [
        Flag(
            .arrays, "arrays", value: Flag.Value("PATTERN=IDENTITY", .text, isRepeatable: true), in: .input,
            summary: "how the elements of arrays pair (repeatable)",
            details: """
                Say how the elements of the arrays that *PATTERN* names pair: `keyed(KEY)`, `keyed(KEY?)`, \
                `keyed(KEY), nocase`, `set`, `ordered` or `replace`; the last two are merged as sequences. Repeatable.
                """),
        .noCache(in: .input),
    ]

    private static let mergeDecisions = [
        Flag(
            .prefer, "prefer", value: Flag.Value("SIDE", .text, isRepeatable: true), in: .conflict,
            summary: "decide conflicts for ours or theirs (repeatable)",
            details: """
                Decide conflicts for *SIDE*, `ours` or `theirs`; with `=` and a match behind it, a JSON object as in rules \
                (`capsule-diff`(5)), only those that it fits; `Kind` takes the kinds of conflicts, too, as `modify/delete`. The last one that fits decides, and the conflict is listed with it. Repeatable.
                """),
        Flag(
            .resolve, "resolve", value: Flag.Value("FILE", .file(.input)), in: .conflict,
            summary: "decide conflicts as FILE says",
            details: """
                Decide each conflict by its `Take` in *FILE*, which `--conflicts` wrote for the same three inputs; one without \
                stays open. Every conflict has to be in it. `-` is standard input.
                """),
    ]

    private static let mergeOutput = [
        Flag(
            .conflicts, "conflicts", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the conflicts to FILE",
            details: """
                Write the conflicts to *FILE*, as a property list, or as JSON if its name ends in `.json`. Without this flag \
                they are listed on standard output. Only its owner can read the file, since it holds values. `-` is standard output.
                """),
        .force(
            summary: "replace an existing result, and conflicts",
            details: """
                Replace an existing result of `--output`, as a whole, once the new one is whole, and an existing file of \
                `--conflicts`.
                """),
        Flag(
            .marks, "markers", in: .output,
            summary: "with --partial: mark open conflicts in texts",
            details: """
                With `--partial`: put blocks of marks, as git does, around the lines of texts in which conflicts are open; in \
                single property lists, too, which are written as text.
                """),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(nil))), in: .output,
            summary: "write the result to FILE",
            details: "Write the result to *FILE*. For property lists `-` is standard output."),
        Flag(
            .partial, "partial", in: .output,
            summary: "write with conflicts open, ours in their places",
            details: "Write the result even if conflicts are open, with what *OURS* has in the place of each."),
    ]
}
