import CapsuleContainers

extension CommandDefinition {
    static let merge = CommandDefinition(
        verb: "merge",
        summary: "three-way merge two containers or property lists",
        otherWords: ["diff3", "mergetool", "merge-file", "threeway", "three-way"],
        forms: [CommandForm(.merge, .base, .ours, .theirs)],
        flags: FlagDefinition.list(
            .conflicts, .identity, .marks, .noCache, .noGroups, .partial, .prefer, .resolve,
            .arrays.pairing(in: .input, "`ordered` or `replace` (the arrays are merged as sequences)"),
            .force.replacing(
                summary: "replace an existing result or conflicts file",
                details: "Replace an existing result and an existing conflicts file."),
            .output.worded(
                used: .output(nil))),
        constraints: [
            .choice([Constraint.Use(.output)], for: .merge, reason: "merge does not change its inputs"),
            .requirement(
                Constraint.Use(.partial), of: Constraint.Use(.marks),
                reason: "without '--partial' nothing with open conflicts is written"),
            .conflict(Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(Constraint.Use(.conflicts, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.conflicts, ["-"]), Constraint.Use(.output, ["-"]),
                reason: "both would write to standard output"),
        ],
        description: [
            """
            Merge the changes that *OURS* and *THEIRS* made to *BASE*: three containers, or three property lists. \
            Property lists and JSON are merged by key, text by line, and SQLite databases by row and column. The \
            inputs are not changed.
            """,
            """
            If both sides change the same thing differently, that is a conflict. Capsule lists every conflict, \
            writes nothing and exits with status 1. To resolve the conflicts, write them to a file with \
            `--conflicts`, and add a key `Take` to each. Its value is `ours`, `theirs`, `base`, `absent` or `value`; \
            with `value`, also add a key `Value` with the new value. Then pass the file to `--resolve`.
            """,
            """
            The result is a capsule if *FILE* ends in `.capsule` and a bundle if it ends in `.xcappdata`. Otherwise \
            it is a bundle or a directory, as *OURS* is, or as what was packed if *OURS* is a capsule. The result \
            keeps the stored overlays of *OURS*, and is a container of the same app.
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
        environment: Meaning.commonEnvironment + [
            .cacheHome, Meaning("SOURCE_DATE_EPOCH", "Seconds since 1970 to record as the time of the merge."),
        ],
        related: ["apply", "diff", "overlay", "pack"])
}

extension Flag<[String]> {
    package static var prefer: Self {
        Self(
            "prefer", values: "SIDE", .text, in: .conflict,
            summary: "resolve conflicts as ours or theirs (repeatable)",
            details: """
                Resolve conflicts in favor of *SIDE*, which is `ours` or `theirs`. `SIDE=MATCH` does this only for \
                conflicts that match *MATCH*, a JSON object such as `{"Path": "Library/**"}`. If several match, the \
                last one decides. Repeatable.
                """)
    }
}

extension Flag<[UInt8]?> {
    package static var resolve: Self {
        Self(
            "resolve", value: "FILE", .file(.input), in: .conflict,
            summary: "resolve conflicts as FILE says",
            details: """
                Resolve each conflict by its `Take` in *FILE*. `--conflicts` must have written the file for the same \
                inputs. A conflict without a `Take` stays open. `-` is standard input.
                """)
    }

    package static var conflicts: Self {
        Self(
            "conflicts", value: "FILE", .file(.output(.file)), in: .output,
            summary: "write the conflicts to FILE",
            details: """
                Write the conflicts to *FILE*, as JSON if its name ends in `.json`, else as a property list. The \
                file contains values of the app, so only its owner can read it. `-` is standard output.
                """)
    }
}

extension Flag<Bool> {
    package static var marks: Self {
        Self(
            "markers", in: .output,
            summary: "with --partial: put conflict markers in text",
            details: """
                With `--partial`: mark open conflicts in text files as git does, with `<<<<<<<` and `>>>>>>>`. If \
                the inputs are property lists, the result is a text with markers.
                """)
    }

    package static var partial: Self {
        Self(
            "partial", in: .output,
            summary: "write the result with open conflicts as in OURS",
            details: """
                Write the result even if conflicts are open. Each open conflict gets the content of *OURS*.
                """)
    }
}

extension Positional<[UInt8]> {
    package static var base: Self { Self("BASE", .container(.input)) }
    package static var ours: Self { Self("OURS", .container(.input)) }
    package static var theirs: Self { Self("THEIRS", .container(.input)) }
}
