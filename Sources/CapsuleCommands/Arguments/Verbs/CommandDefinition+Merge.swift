import CapsuleEngine

extension CommandDefinition {
    /// `capsule merge`
    static let merge = CommandDefinition(
        verb: "merge",
        summary: "three-way merge two containers or property lists",
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
            .choice([.output], for: .merge, reason: "merge does not change its inputs"),
            .requirement(
                Constraint.Use(.partial), of: Constraint.Use(.marks),
                reason: "without '--partial' nothing with open conflicts is written"),
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
            Merge the changes that *OURS* and *THEIRS* made to *BASE*: three containers in any form, or three property \
            lists. A change on one side is taken as is. Changes on both sides are merged by type: property lists and JSON by \
            pointer, with array elements paired by identity; text by line; SQLite databases by table and primary key. The \
            inputs are not changed.
            """,
            """
            Different changes to the same thing on both sides are a conflict. Every conflict is listed; none is resolved \
            silently. With open conflicts, nothing is written unless `--partial` is given. `--conflicts` writes them to a \
            file. Set `Take` of each conflict to base, ours, theirs, absent or value (for value, add the key `Value`) and pass the file to \
            `--resolve`.
            """,
            """
            The result is a capsule if *FILE* ends in `.capsule`, a bundle if it ends in `.xcappdata`, else a directory in \
            the form of *OURS*. Its metadata plist, wrapper and overlays are those of *OURS*. Renames of files are followed, \
            and a database is merged together with its logs.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Merge the changes of two testers:",
                command: "capsule merge base.capsule ann.xcappdata bob.xcappdata -o all.capsule"),
            Example(
                meaning: "Merge three property lists:",
                command: "capsule merge Base.plist Info.plist Their.plist -o Merged.plist"),
            Example(
                meaning: "Write the conflicts to a file:",
                command: "capsule merge base ours theirs -o out --conflicts todo.plist"),
            Example(
                meaning: "Take theirs for everything in Library:",
                command: #"capsule merge b o t -o out --prefer 'theirs={"Path":"Library/**"}'"#),
        ],
        statuses: [
            Meaning("0", "Merged, and all conflicts are resolved."),
            Meaning("1", "Conflicts are open. Nothing was written, except with `--partial`."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was written."),
        ] + Meaning.always,
        environment: sorted(
            Meaning.commonEnvironment + [
                .cacheHome, Meaning("SOURCE_DATE_EPOCH", "Seconds since 1970 to record as the time of the merge."),
            ]),
        related: ["apply", "diff", "overlay", "pack"])

    private static let mergeInput = [
        Flag(
            .arrays, "arrays", value: Flag.Value("PATTERN=IDENTITY", .text, isRepeatable: true), in: .input,
            summary: "how to pair the elements of arrays (repeatable)",
            details: """
                Set how to pair the elements of arrays that match *PATTERN*. *IDENTITY* is `keyed(KEY)`, `'keyed(KEY), \
                nocase'`, `keyed(KEY?)` where elements can lack the key, `set`, `ordered` or `replace`. \
                Arrays that are `ordered` or `replace` are merged as sequences. Repeatable.
                """),
        .noCache(in: .input),
    ]

    private static let mergeDecisions = [
        Flag(
            .prefer, "prefer", value: Flag.Value("SIDE", .text, isRepeatable: true), in: .conflict,
            summary: "resolve conflicts as ours or theirs (repeatable)",
            details: """
                Resolve conflicts for *SIDE*, `ours` or `theirs`. To limit this to some conflicts, add `=` and a match, a \
                JSON object as in noise rules (`capsule-diff`(5)). Its key `Kind` can also name a kind of conflict, such \
                as `modify/delete`. The last match decides, and the conflict is listed with the decision. Repeatable.
                """),
        Flag(
            .resolve, "resolve", value: Flag.Value("FILE", .file(.input)), in: .conflict,
            summary: "resolve conflicts as FILE says",
            details: """
                Resolve each conflict by its `Take` in *FILE*, which `--conflicts` wrote for the same three inputs. A \
                conflict without a `Take` stays open. The file must list every conflict. `-` is standard input.
                """),
    ]

    private static let mergeOutput = [
        Flag(
            .conflicts, "conflicts", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the conflicts to FILE",
            details: """
                Write the conflicts to *FILE*, as JSON if its name ends in `.json`, else as a property list. Without this \
                flag, they are listed on standard output. The file contains values, so only its owner can read it. `-` is \
                standard output.
                """),
        .force(
            summary: "replace an existing result or conflicts file",
            details: """
                Replace an existing result of `--output`, as a whole, when the new one is complete, and an existing file of \
                `--conflicts`.
                """),
        Flag(
            .marks, "markers", in: .output,
            summary: "with --partial: put conflict markers in text",
            details: """
                With `--partial`: put git's conflict markers around open conflicts in text files. If the inputs are three \
                property lists, write the result as text with markers.
                """),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(nil))), in: .output,
            summary: "write the result to FILE",
            details: "Write the result to *FILE*. For property lists `-` is standard output."),
        Flag(
            .partial, "partial", in: .output,
            summary: "write the result with open conflicts as in OURS",
            details: "Write the result even if conflicts are open, with the content of *OURS* for each."),
    ]
}
