import CapsuleContainers

extension CommandDefinition {
    static let show = CommandDefinition(
        verb: "show",
        summary: "look into a container: its files, values and rows",
        otherWords: ["browse", "inspect", "open", "rows", "table", "view"],
        forms: [CommandForm(.show, .container, .paths)],
        flags: FlagDefinition.list(
            .csv, .force, .full, .identity,
            .keychain.worded(
                summary: "also show the device's keychain on a page",
                details: """
                    Also show the keychain of the whole device that *CONTAINER* has on a page, or that of the simulator that the app \
                    is on. Its data stays hidden without `--show-secrets`.
                    """),
            .limit, .maxBytes, .noContent, .open, .showSecrets, .statePage),
        constraints: [
            .conflict(Constraint.Use(.csv), Constraint.Use(.json), reason: "both set the form of the output"),
            .conflict(Constraint.Use(.html), Constraint.Use(.json), reason: "both set the form of the output"),
            .conflict(Constraint.Use(.html), Constraint.Use(.csv), reason: "both set the form of the output"),
            .conflict(Constraint.Use(.html, ["-"]), Constraint.Use(.open), reason: "only a file can be opened"),
            .requirementOfAny(
                [Constraint.Use(.html), Constraint.Use(.open)], of: Constraint.Use(.maxBytes), reason: "it limits the page"),
            .requirementOfAny(
                [Constraint.Use(.html), Constraint.Use(.open)], of: Constraint.Use(.noContent),
                reason: "it leaves something out of the page"),
        ],
        description: [
            """
            Without *PATH*, show *CONTAINER* at a glance: the app, the largest directories, the databases with their tables and \
            rows, and the property lists of Preferences. *CONTAINER* can also be a single file.
            """,
            """
            With one or more *PATH*, show the contents as `diff` writes them: a property list or JSON by pointer, with what is \
            in data and in keyed archives; the tables of a database; a text; cookies; the format and size of an image; and the \
            first bytes of anything else. The name of a file is enough if no other file has it.
            """,
            """
            *PATH*`:`*TABLE* shows the rows of a table, which can also be named by its Core Data entity, and \
            *PATH*`:`*TABLE*`[`*KEY*`]` shows one row. A key of several columns has commas between them. The content of the \
            database's log is included. *PATH*`:`*POINTER* shows one value of a property list.
            """,
            """
            With `--html` or `--open`, all of this is one page for a browser: what takes the space, every file with its content, \
            and what each version of a capsule changed.
            """,
            """
            Secrets are hidden, as in `diff`: tokens, passwords, cookies and keychains.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "Look into a bundle:", command: "capsule show container.xcappdata"),
            Example(
                meaning: "Show the app's preferences in a capsule's first version:",
                command: "capsule show run.capsule@first com.example.gifs.plist"),
            Example(
                meaning: "Show the row of the entity Gif with the key 2:",
                command: "capsule show run.capsule 'Model.sqlite:Gif[2]'"),
            Example(
                meaning: "Write a table to a file for a spreadsheet:",
                command: "capsule show run.capsule Model.sqlite:ZGIF --csv > gifs.csv"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure: the container has no such file, table or row, or it can't be read; a message says which."),
        environment: Meaning.commonEnvironment,
        related: ["cat", "diff", "info", "ls"])

    static let grep = CommandDefinition(
        verb: "grep",
        summary: "find a text in names, values, rows and lines",
        otherWords: ["ag", "rg", "search"],
        forms: [CommandForm(.grep, .text, .container, .paths)],
        flags: FlagDefinition.list(.ignoreCase, .count, .filesOnly, .allVersions, .full, .identity, .showSecrets),
        constraints: [
            .conflict(Constraint.Use(.count), Constraint.Use(.filesOnly), reason: "both list files")
        ],
        description: [
            """
            Print each place in *CONTAINER* where *TEXT* occurs: in names of entries, keys and strings of property lists and \
            JSON, also in data and keyed archives, in rows and the schema of databases, lines of texts, and cookies. A place is written \
            as `show` takes it: *PATH*`:`*POINTER*, *PATH*`:`*TABLE*`[`*KEY*`]`, or *PATH*`:`*LINE*. A file of no known format is named if its bytes \
            have *TEXT* in UTF-8.
            """,
            """
            With one or more *PATH*, search only these entries and everything below them. A secret that has *TEXT* is found, but not \
            printed.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "Find a user's name:", command: "capsule grep otter container.xcappdata"),
            Example(meaning: "List the files with an address, in any case:", command: "capsule grep -il Example.COM run.capsule"),
            Example(
                meaning: "Find it in all versions of a capsule:",
                command: "capsule grep --versions onboarding run.capsule Library/Preferences"),
        ],
        statuses: [
            Meaning("0", "The text was found."), Meaning("1", "The text was not found."),
            Meaning("2", "Failure: the container, or a file in it, could not be searched; a message says which."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment,
        related: ["cat", "ls", "show"])

    static let du = CommandDefinition(
        verb: "du",
        summary: "show what takes the space in a container",
        otherWords: ["df", "ncdu", "size", "sizes", "space", "stats"],
        forms: [CommandForm(.du, .container, .paths)],
        flags: FlagDefinition.list(.by, .depth, .identity),
        constraints: [
            .conflict(
                Constraint.Use(.by, ["file", "kind", "class", "version"]), Constraint.Use(.depth),
                reason: "'--depth' is for directories")
        ],
        description: [
            """
            List the directories of *CONTAINER* that have files in them, the largest first and those of the same size by name: the \
            size of all files in the directory and below it, their number, and the path. The first line is the total: `.` is the \
            container itself. With one or more *PATH*, measure only these entries and everything below them; a *PATH* can be a \
            pattern, as for `capsule ls`.
            """,
            """
            A size is the sum of the lengths of the files, not the blocks of a disk. For a capsule, `stored` is what the capsule has \
            for them: compressed, and content that several files have counts only for the first. Its index, manifest and tar headers \
            don't count, except with `--by version`, where `stored` is what the version added to the file.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "List the directories at the top, the largest first:", command: "capsule du -d 1 fixtures.capsule"),
            Example(
                meaning: "See what `capsule drop` would free in an app on the simulator:",
                command: "capsule du --by class sim:booted/com.example.gifs"),
            Example(meaning: "Find the largest picture:", command: "capsule du --by file run.capsule '*.gif' '*.png'"),
            Example(meaning: "See what each version added to a capsule:", command: "capsule du --by version run.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure, or *PATH* was not found in the container; a message on standard error says why."),
        environment: Meaning.commonEnvironment,
        related: ["drop", "info", "ls"])
}

extension Flag<[UInt8]?> {
    package static var statePage: Self {
        Self(
            "html", value: "FILE", .file(.output(.report(.page))), in: .output,
            summary: "write a page for a browser to FILE",
            details: """
                Write all of the container as one HTML page to *FILE*, which loads nothing from the network: what takes the space, \
                the tree of files with their contents, and a timeline of a capsule's versions. An earlier page is replaced. `-` is \
                standard output.
                """)
    }
}

extension Flag<Bool> {
    package static var noContent: Self {
        Self(
            "no-content", in: .output,
            summary: "with --html: leave out the contents of files",
            details:
                "With `--html`: show names, sizes and times of files, but not their contents. Such a page is safer to pass on.")
    }

    package static var csv: Self {
        Self(
            "csv", in: .output,
            summary: "write a table as comma-separated values",
            details: """
                Write the rows of one table as comma-separated values (RFC 4180), with the names of the columns in the first \
                line. NULL is empty and data is in Base64. All rows are written unless `--limit` is given.
                """)
    }

    package static var ignoreCase: Self {
        Self(
            "ignore-case", "i", in: .input,
            summary: "find the text in upper and lower case",
            details: "Find *TEXT* in upper and lower case.")
    }

    package static var count: Self {
        Self(
            "count", "c", in: .output,
            summary: "print only the number of places in each file",
            details: "Print only the path of each file with *TEXT*, and the number of places in it.")
    }

    package static var filesOnly: Self {
        Self(
            "files-with-matches", "l", in: .output,
            summary: "print only the paths of files with the text",
            details: "Print only the path of each file with *TEXT*.")
    }

    package static var allVersions: Self {
        Self(
            "versions", in: .input,
            summary: "search all versions of a capsule",
            details: """
                Search all versions of a capsule, the oldest first. Each content is searched once, in the first version that has \
                it, whose number stands before the path.
                """)
    }
}

extension Flag<Int?> {
    package static var maxBytes: Self {
        Self(
            "max-bytes", value: "N", .integer(600_000...1_000_000_000), in: .output,
            summary: "with --html: limit the page to N bytes (default: 5 MiB)",
            details: """
                With `--html`: limit the page to *N* bytes; the default is 5242880. The names of files come first, then the \
                contents, the smallest first. The page says what it leaves out.
                """)
    }

    package static var limit: Self {
        Self(
            "limit", value: "N", .integer(0...1_000_000_000), in: .output,
            summary: "show at most N rows of a table (default: 100)",
            details: "Show at most *N* rows of a table; the default is 100. `--full` shows all.")
    }

    package static var depth: Self {
        Self(
            "depth", "d", value: "N", .integer(0...10_000), in: .output,
            summary: "list directories down to N levels",
            details: """
                List directories down to *N* levels below the first one; 0 is only the total. The sizes are of everything below \
                each directory.
                """)
    }
}

extension Flag<UsageChoice> {
    package static var by: Self {
        Self(
            "by", value: "directory|file|kind|class|version", .words, default: .directory, in: .output,
            summary: "measure by directory (the default) or another property",
            details: """
                Measure by `directory`, the default; by `file`, each with its kind; by `kind`: database with its logs, image, property list (JSON too), cache, other, \
                as the first bytes of each file show it; by `class`: the noise that `capsule drop` deletes and `capsule pack --drop` \
                leaves out; or by `version` of a capsule.
                """)
    }
}

extension Positional<String> {
    package static var text: Self { Self("TEXT", .text) }
}
