import CapsuleEngine

extension CommandDefinition {
    /// `capsule plist`
    static let plist = CommandDefinition(
        verb: "plist",
        summary: "check, read, edit, convert and print property lists",
        otherWords: ["buddy", "defaults", "plutil"],
        forms: [
            CommandForm(
                .plistLint, word: "lint", summary: "check that each FILE is a valid property list",
                [Positional(.plistFiles, "FILE", .file(.input), .some)], flags: [.lenient]),
            CommandForm(
                .plistGet, word: "get", summary: "print the value at POINTER, strings without quotes", plistPlace(.input),
                flags: [.lenient]),
            CommandForm(
                .plistSet, word: "set", summary: "set the value at POINTER, and change nothing else", plistPlace(.target),
                flags: [.output, .force, .lenient] + plistValues.map(\.id)),
            CommandForm(
                .plistRemove, word: "remove", summary: "remove the value at POINTER", plistPlace(.target),
                flags: [.output, .force, .lenient]),
            CommandForm(
                .plistConvert, word: "convert", summary: "convert FILE to a different format",
                [
                    Positional(.format, "xml|binary|json|openstep", .words(FormatChoice.self)),
                    Positional(.plistFile, "FILE", .file(.target)),
                ], flags: [.output, .force, .lenient, .lossy]),
            CommandForm(
                .plistPrint, word: "print", summary: "print all values and their types in a readable form",
                [Positional(.plistFile, "FILE", .file(.input))], flags: [.lenient, .unarchive]),
        ],
        flags: plistInput + plistOutput + plistValues + Flag.common,
        constraints: [
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .choice(plistValues.map(\.id), for: .plistSet, reason: "the flag sets the type of the new value: give exactly one"),
        ] + Constraint.common,
        description: [
            """
            Check, read, edit, convert and print property lists in XML, binary, JSON and OpenStep (the format of `.strings` \
            files). The format is detected from the content. `-` for *FILE* is standard input.
            """,
            """
            *POINTER* is a JSON Pointer, such as `/CFBundleURLTypes/0/CFBundleURLName`. In a key, write `~1` for a slash and \
            `~0` for a tilde. In an array, a step can also be `-`, the end, or `[KEY=VALUE]`, the one element whose *KEY* is \
            *VALUE*. In data, it can be `<plist>`, `<json>`, `<zlib>` or `<archive>`, which leads into the content of the \
            data. A PlistBuddy path, such as `:CFBundleURLTypes:0`, works too.
            """,
            """
            `set`, `remove` and `convert` change the file in place, atomically, and only if the result differs. With \
            `--output` they write a different file. `set` and `remove` rewrite only the bytes of that value: comments, the \
            order of keys and the indentation stay. A file that is changed in place keeps its mode, owner, group, access \
            control list and extended attributes. If the system doesn't allow that, the file is not changed.
            """,
            """
            If an XML dictionary has a key twice, the last value counts, as in Apple's parser, and a warning names both \
            places. An edit changes the last value. `lint` fails on such a key.
            """,
        ],
        examples: [
            Example(
                meaning: "Print a value in a script:",
                command: "capsule plist get Info.plist /CFBundleVersion"),
            Example(
                meaning: "Change a value, and nothing else in the file:",
                command: "capsule plist set Info.plist /CFBundleVersion --string 42"),
            Example(
                meaning: "Print a binary property list and decode its archives:",
                command: "capsule plist print com.example.gifs.plist --unarchive"),
            Example(
                meaning: "Convert it to XML in a new file:",
                command: "capsule plist convert xml com.example.gifs.plist -o defaults.xml"),
        ],
        statuses: Meaning.statuses(
            done: "Success. For `lint`: each file is OK.",
            failed: "Failure; a message on standard error says why and where. Nothing was written."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) },
        related: ["apply", "diff", "overlay"])

    private static func plistPlace(_ use: FileUse) -> [Positional] {
        [Positional(.plistFile, "FILE", .file(use)), Positional(.pointer, "POINTER", .text)]
    }

    private static let plistInput = [
        Flag(
            .lenient, "lenient", in: .input,
            summary: "use the last of duplicate keys, with a warning",
            details: """
                If a dictionary has a key twice, use the last value and print a warning. In XML this is the default, as in \
                Apple's parser. In other formats, and for `lint`, a duplicate key is an error without this flag.
                """)
    ]

    private static let plistOutput = [
        .force(
            summary: "replace an existing FILE",
            details: """
                Replace an existing *FILE* of `--output` when the new one is complete. With `set` and an empty *POINTER*, \
                replace the whole property list.
                """),
        Flag(
            .lossy, "lossy", in: .output,
            summary: "with convert: replace values that can't be encoded",
            details: """
                With `convert`: if the format can't represent a value, such as data in JSON, write the nearest value and \
                print a warning. Without this flag it is an error.
                """),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the result to FILE instead of changing the input",
            details: "Write the result to *FILE*, and leave the input unchanged. `-` is standard output."),
        Flag(
            .unarchive, "unarchive", in: .output,
            summary: "with print: decode keyed archives",
            details: """
                With `print`: print keyed archives, also those in data, as the objects that they contain, with the names of \
                their classes.
                """),
    ]
}
