import CapsuleContainers

extension CommandDefinition {
    static let plist = CommandDefinition(
        verb: "plist",
        summary: "check, read, edit, convert and print property lists",
        otherWords: ["buddy", "defaults", "plutil"],
        forms: [
            CommandForm(
                .plistLint, word: "lint", otherWords: ["check", "validate"],
                summary: "check that each FILE is a valid property list",
                .propertyLists, flags: FlagDefinition.list(.lenient)),
            CommandForm(
                .plistGet, word: "get", otherWords: ["extract", "read", "value"],
                summary: "print the value at POINTER, strings without quotes",
                .propertyList, .pointer, flags: FlagDefinition.list(.fallback, .lenient)),
            CommandForm(
                .plistSet, word: "set", otherWords: ["replace", "write"],
                summary: "set the value at POINTER, and change nothing else",
                .edited, .pointer.single(), .newValue,
                flags: FlagDefinition.list(.createParents, .force, .lenient, .output) + values),
            CommandForm(
                .plistAdd, word: "add", otherWords: ["insert"],
                summary: "add a key that doesn't exist yet, or insert into an array",
                .edited, .pointer.single(), flags: FlagDefinition.list(.createParents, .force, .lenient, .output) + values),
            CommandForm(
                .plistAppend, word: "append", summary: "add a value at the end of the array at POINTER",
                .edited, .pointer.single(), flags: FlagDefinition.list(.createParents, .force, .lenient, .output) + values),
            CommandForm(
                .plistRemove, word: "remove", aliases: ["delete"], otherWords: ["rm", "unset"],
                summary: "remove the value at POINTER ('delete' works too)", .edited, .pointer.single(),
                flags: FlagDefinition.list(.force, .lenient, .output)),
            CommandForm(
                .plistConvert, word: "convert", summary: "convert FILE to a different format",
                .format, .edited, flags: FlagDefinition.list(.force, .lenient, .lossy, .output)),
            CommandForm(
                .plistPrint, word: "print", otherWords: ["dump", "show", "type"],
                summary: "print all values and their types in a readable form",
                .propertyList, flags: FlagDefinition.list(.lenient, .unarchive)),
        ],
        flags: FlagDefinition.list(
            .createParents, .fallback, .lenient, .lossy, .unarchive,
            .force.replacing(
                summary: "replace an existing FILE",
                details: """
                    Replace an existing *FILE* of `--output` when the new one is complete. With `set` and an empty *POINTER*, \
                    replace the whole property list.
                    """),
            .output.worded(
                summary: "write the result to FILE instead of changing the input",
                details: "Write the result to *FILE*, and leave the input unchanged. `-` is standard output.")) + values,
        constraints: [
            .conflict(Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(Constraint.Use(.unarchive), Constraint.Use(.json), reason: "decoded objects have no JSON form"),
        ]
            + [CommandForm.ID.plistSet, .plistAdd, .plistAppend].map {
                Constraint.choice(
                    (values.map(\.id) + ($0 == .plistSet ? [Positional.newValue.id] : [])).map { Constraint.Use($0) }, for: $0,
                    reason: "the flag sets the type of the new value: give exactly one")
            },
        description: [
            """
            Check, read, edit, convert and print property lists in XML, binary, JSON and OpenStep (the format of `.strings` \
            files). The format is detected from the content. `-` for *FILE* is standard input.
            """,
            """
            `CONTAINER:PATH` for *FILE* names a property list in a container of any form, such as \
            `run.capsule@1:Library/Preferences/com.example.plist`. A file whose name is exactly this text has precedence. A file \
            in a directory is changed in place like any other. A capsule or an archive is only read: write the result to a \
            file with `--output`.
            """,
            """
            *POINTER* is a JSON Pointer, such as `/CFBundleURLTypes/0/CFBundleURLName`. In a key, write `~1` for a slash and \
            `~0` for a tilde. In an array, a step can also be `-`, the end, or `[KEY=VALUE]`, the one element whose *KEY* is \
            *VALUE*. In data, it can be `<plist>`, `<json>`, `<zlib>` or `<archive>`, which leads into the content of the \
            data. Without *POINTER*, `get` prints the whole property list.
            """,
            """
            A PlistBuddy path, such as `:CFBundleURLTypes:0`, works too, and so does a plutil key path, such as \
            `CFBundleURLTypes.0.CFBundleURLName`, in which `\\.` is a dot in a key. If the property list has a key that is exactly \
            this text, dots included, the text names that key, and a note says so if it could name another value as well.
            """,
            """
            `set` changes a value or adds one. *VALUE* without a flag gets the type of the value that it replaces, or is a string if there \
            is none. With a flag, the type may change, with a warning. The types that `defaults write` has can be written as \
            there: `-string`, `-int`, `-float`, `-bool`, `-date`, and `-data` for `--hex`. `add` fails if the key exists; in an \
            array it inserts before the element at *POINTER*. `append` adds at the end of an array.
            """,
            """
            `set`, `add`, `append`, `remove` and `convert` change the file in place, atomically, and only if the result differs. \
            With `--output` they write a different file. Edits of a text rewrite only the bytes of that value: comments, the \
            order of keys and the indentation stay. A file that is changed in place keeps its mode, owner, group, access \
            control list and extended attributes. If the system doesn't allow that, the file is not changed.
            """,
            """
            If a dictionary in XML or OpenStep has a key twice, the last value counts, as in Apple's parsers, and a warning \
            names both places. An edit changes the last value. `lint` fails on such a key.
            """,
        ],
        examples: [
            Example(
                meaning: "Print a value in a script:",
                command: "capsule plist get Info.plist /CFBundleVersion"),
            Example(
                meaning: "Change a value, and nothing else in the file:",
                command: "capsule plist set Info.plist /CFBundleVersion 42"),
            Example(
                meaning: "Print a property list in a capsule, and decode its archives:",
                command: "capsule plist print run.capsule:Documents/game.plist --unarchive"),
            Example(
                meaning: "Convert it to XML in a new file:",
                command: "capsule plist convert xml com.example.gifs.plist -o defaults.xml"),
        ],
        statuses: Meaning.statuses(
            done: "Success. For `lint`: each file is OK.",
            failed: "Failure; a message on standard error says why and where. Nothing was written."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) },
        related: ["apply", "diff", "overlay"])

    /// The flags for the new value, of which a call needs exactly one.
    private static let values = FlagDefinition.list(.bool, .data, .date, .fromJSON, .hex, .integer, .real, .string)
}

extension Flag<Bool> {
    package static var lenient: Self {
        Self(
            "lenient", in: .input,
            summary: "repair what is wrong with a file, with a warning for each repair",
            details: """
                Print a warning instead of an error, and repair what is wrong. If a dictionary has a key twice, use the last \
                value. In XML and OpenStep this is the default, as in Apple's parsers, except for `lint`. Read control characters \
                in XML as they are, unpaired surrogates as U+FFFD, text that is not UTF-8 as ISO-8859-1, and integers beyond 64 bits \
                as reals, and leave out NUL characters at the end.
                """)
    }

    package static var createParents: Self {
        Self(
            "create-parents", in: .output,
            summary: "create the dictionaries that are missing around the value",
            details: """
                With `set`, `add` and `append`: create the dictionaries on the way to *POINTER* that don't exist. If the step \
                that follows is `-` or `0`, create an array instead; `append` creates the array that it appends to.
                """)
    }

    package static var lossy: Self {
        Self(
            "lossy", in: .output,
            summary: "with convert: replace values that can't be encoded",
            details: """
                With `convert`: if the format can't represent a value, such as data in JSON, write the nearest value and \
                print a warning. Without this flag it is an error.
                """)
    }

    package static var unarchive: Self {
        Self(
            "unarchive", in: .output,
            summary: "with print: decode keyed archives",
            details: """
                With `print`: print keyed archives, also those in data, as the objects that they contain, with the names of \
                their classes.
                """)
    }
}

extension Flag<String?> {
    package static var bool: Self {
        Self(
            "bool", value: "VALUE", .text, in: .value,
            summary: "a boolean: true or false, YES or NO",
            details: "Set a boolean: `true` or `false`. `YES` and `NO` work too."
        ).inDefaults("-bool", "-boolean")
    }

    package static var data: Self {
        Self(
            "data", value: "BASE", .text, in: .value,
            summary: "data, in base64",
            details: "Set data. *BASE* is base64, and can be empty.")
    }

    package static var date: Self {
        Self(
            "date", value: "TIME", .text, in: .value,
            summary: "a date in UTC: 2026-03-01T10:20:30Z",
            details: "Set a date in UTC, in ISO 8601: `2026-03-01T10:20:30Z`. Fractions of a second are allowed."
        ).inDefaults("-date")
    }

    package static var fromJSON: Self {
        Self(
            "from-json", value: "JSON", .text, in: .value,
            summary: "any value, as JSON",
            details: """
                Set any value, written as JSON, including arrays and dictionaries. For types that JSON doesn't have, write \
                `{"$data": "AAEC"}`, `{"$date": "2026-03-01T10:20:30Z"}`, `{"$uid": 1}`, `{"$real": "1.0"}` or \
                `{"$int": "1"}`.
                """)
    }

    package static var hex: Self {
        Self(
            "hex", value: "DIGITS", .text, in: .value,
            summary: "data, in hexadecimal",
            details: "Set data. *DIGITS* is hexadecimal, and can be empty."
        ).inDefaults("-data")
    }

    /// With `get`.
    package static var fallback: Self {
        Self(
            "default", value: "VALUE", .text, in: .output,
            summary: "with get: print VALUE if there is no such key",
            details: """
                With `get`: if nothing is at *POINTER*, print *VALUE* as a string, and exit with status 0. A file that can't be \
                read is still an error.
                """)
    }

    package static var integer: Self {
        Self(
            "integer", value: "NUMBER", .text, in: .value,
            summary: "an integer, in decimal or hexadecimal",
            details: "Set an integer: decimal, or hexadecimal with the prefix `0x`."
        ).inDefaults("-int", "-integer")
    }

    package static var real: Self {
        Self(
            "real", value: "NUMBER", .text, in: .value,
            summary: "a real number",
            details: "Set a real number: `1.5` or `1e300`, or `nan` or `infinity`."
        ).inDefaults("-float", "-real")
    }

    package static var string: Self {
        Self(
            "string", value: "TEXT", .text, in: .value,
            summary: "a string",
            details: "Set a string, which can be empty."
        ).inDefaults("-string")
    }
}

extension Positional<[UInt8]> {
    package static var propertyList: Self { Self("FILE", .propertyList(.input)) }
    package static var edited: Self { propertyList.taking(.propertyList(.target)) }
}

extension Positional<[[UInt8]]> {
    package static var propertyLists: Self { Self("FILE", .propertyList(.input), .some) }
}

extension Positional<String?> {
    /// nil is the root.
    package static var pointer: Self { Self(optional: "POINTER", .pointer) }
    /// The value of `set`, without its type.
    package static var newValue: Self { Self(optional: "VALUE", .text) }
}

extension Positional<FormatChoice> {
    package static var format: Self { Self("xml|binary|json|openstep", .words) }
}
