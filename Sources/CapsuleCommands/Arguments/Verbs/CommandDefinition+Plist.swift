import CapsuleEngine

extension CommandDefinition {
    /// `capsule plist`
    static let plist = CommandDefinition(
        verb: "plist",
        summary: "check, read, edit, convert and print property lists",
        otherWords: ["buddy", "defaults", "plutil"],
        forms: [
            CommandForm(
                .plistLint, word: "lint", summary: "say whether each FILE is a sound property list",
                [Positional(.plistFiles, "FILE", .file(.input), .some)], flags: [.lenient]),
            CommandForm(
                .plistGet, word: "get", summary: "print the value at POINTER, a string as it is", plistPlace(.input),
                flags: [.lenient]),
            CommandForm(
                .plistSet, word: "set", summary: "put a value at POINTER, and leave all else as it is", plistPlace(.target),
                flags: [.output, .force, .lenient] + plistValues.map(\.id)),
            CommandForm(
                .plistRemove, word: "remove", summary: "take the value at POINTER out", plistPlace(.target),
                flags: [.output, .force, .lenient]),
            CommandForm(
                .plistConvert, word: "convert", summary: "write FILE in another encoding",
                [
                    Positional(.format, "xml|binary|json|openstep", .words(FormatChoice.self)),
                    Positional(.plistFile, "FILE", .file(.target)),
                ], flags: [.output, .force, .lenient, .lossy]),
            CommandForm(
                .plistPrint, word: "print", summary: "print all values, with their types, for people",
                [Positional(.plistFile, "FILE", .file(.input))], flags: [.lenient, .unarchive]),
        ],
        flags: plistInput + plistOutput + plistValues + Flag.common,
        constraints: [
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .choice(plistValues.map(\.id), for: .plistSet, reason: "it says the type of the new value"),
        ] + Constraint.common,
        description: [
            """
            Works on property lists in XML, binary, JSON and OpenStep (which `.strings` files are), told apart by their \
            content. `-` for *FILE* is standard input.
            """,
            """
            *POINTER* is a JSON Pointer, as `/CFBundleURLTypes/0/CFBundleURLName`, in which `~1` is a slash and `~0` a tilde. \
            On an array a step may also be `-`, for its end, or `[KEY=VALUE]` for the one element whose *KEY* is *VALUE*; on \
            data it may be `<plist>`, `<json>`, `<zlib>` or `<archive>`, which lead into what the data holds. A path of PlistBuddy, as \
            `:CFBundleURLTypes:0`, is understood too.
            """,
            """
            `set`, `remove` and `convert` work in place, at once, and only if anything changes; with `--output` they write \
            another file. `set` and `remove` rewrite the bytes of that value alone: comments, the order of keys and the \
            indentation stay. A file that is changed in place keeps its mode, owner, group, access control list and extended \
            attributes; where the system does not permit that, it stays as it is.
            """,
            """
            Of a key that a dictionary has twice in XML, the last value counts, as in Apple's parser; a warning names both places. \
            An edit changes that value. `lint` fails on such a key.
            """,
        ],
        examples: [
            Example(
                meaning: "Read a value in a script:",
                command: "capsule plist get Info.plist /CFBundleVersion"),
            Example(
                meaning: "Change one, and nothing else in the file:",
                command: "capsule plist set Info.plist /CFBundleVersion --string 42"),
            Example(
                meaning: "Look at a binary property list, archives in it included:",
                command: "capsule plist print com.example.gifs.plist --unarchive"),
            Example(
                meaning: "Turn it into XML, elsewhere:",
                command: "capsule plist convert xml com.example.gifs.plist -o defaults.xml"),
        ],
        statuses: Meaning.statuses(
            done: "Done; what `lint` was given is sound.",
            failed: "Failure; a message on standard error says why and where. Nothing was written."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) },
        related: ["apply", "diff", "overlay"])

    private static func plistPlace(_ use: FileUse) -> [Positional] {
        [Positional(.plistFile, "FILE", .file(use)), Positional(.pointer, "POINTER", .text)]
    }

    private static let plistInput = [
        Flag(
            .lenient, "lenient", in: .input,
            summary: "take the last of equal keys, with a warning",
            details: """
                Take the last value of a key that a dictionary has twice, with a warning. In XML that is done anyway, as Apple's \
                parser does it; elsewhere, and for `lint`, it is an error otherwise.
                """)
    ]

    private static let plistOutput = [
        .force(
            summary: "replace an existing FILE",
            details: """
                Replace an existing *FILE* of `--output`, once the new one is whole. With `set` and an empty *POINTER*: replace \
                the whole property list.
                """),
        Flag(
            .lossy, "lossy", in: .output,
            summary: "with convert: write the nearest that the encoding can hold",
            details: """
                With `convert`: write the nearest value where the encoding cannot hold what is there, such as data in JSON, \
                and print a warning for each. It is an error otherwise.
                """),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the result to FILE, and leave the other alone",
            details: "Write the result to *FILE*, and leave the one that was read as it is. `-` is standard output."),
        Flag(
            .unarchive, "unarchive", in: .output,
            summary: "with print: print keyed archives as their objects",
            details: """
                With `print`: print keyed archives, in data too, as the objects that they hold, with the names of their classes.
                """),
    ]
}
