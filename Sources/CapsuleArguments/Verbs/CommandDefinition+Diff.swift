import CapsuleContainers

extension CommandDefinition {
    static let diff = CommandDefinition(
        verb: "diff",
        summary: "show what differs between two containers or files",
        otherWords: ["cmp", "compare", "difference", "status"],
        forms: [CommandForm(.diff, .old, .new, .paths)],
        flags: judgingFlags
            + FlagDefinition.list(
                .exitZero, .identity,
                .keychain.worded(
                    summary: "also compare the device's keychain",
                    details: """
                        Also read the keychain of the simulator that an app is on, and keep that of both sides on a page (`--html`). It is \
                        compared only if both sides have it; its data stays hidden without `--show-secrets`.
                        """)),
        constraints: judgingConstraints + [
            .conflict(
                Constraint.Use(.exitZero), Constraint.Use(.expect),
                reason: "with '--expect' the exit status says whether the expectation passed"),
            .conflict(
                Constraint.Use(.exitZero), Constraint.Use(.expectUpdate),
                reason: "with '--expect-update' the exit status says whether the expectation passed"),
        ],
        description: [
            """
            Compare two containers, or two files. If only *A* is given, it is a capsule, and its last two versions \
            are compared. `FILE@1..2` names two versions of one capsule. If *PATH*s are given, compare only these \
            entries; a *PATH* can be a pattern, and `'*.plist'` matches in every directory. *PATH*`:`*TABLE* compares \
            only one table of a database, which can also be named by its Core Data entity.
            """,
            """
            Changes are marked with a symbol: `+` is only in *B*, `-` is only in *A*, `~` changed, and `>` moved. \
            `!` is a note, for example about a file that can't be compared. With `--expect`, `!` is a finding.
            """,
            """
            Files are compared by content: property lists by key, SQLite databases by row, JSON by member, text by \
            line. Databases are compared in a private copy, with their logs. `CONTAINER:PATH` is one file in a \
            container; use it to compare two single files.
            """,
            """
            In a property list, the order of keys does not matter, but types do: 1, 1.0 and true are different \
            values. An element of an array is shown with the key that identifies it, as in \
            `/CFBundleURLTypes/[CFBundleURLName=login]`. `capsule overlay identities` lists such arrays.
            """,
            """
            Changes that iOS and apps make on their own, for example in caches, are noise. Noise is counted but not \
            shown. It does not affect the exit status, unless an expectation forbids or requires it.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "See what a test run changed in an app's data:",
                command: "capsule diff before.capsule after.xcappdata"),
            Example(
                meaning: "Fail a CI job if a run makes changes that are not expected:",
                command: "capsule diff A.capsule B.capsule --expect run.plist --junit ci.xml"),
            Example(
                meaning: "Write a report for a browser, and one for a pull request:",
                command: "capsule diff A.capsule B.capsule --html page.html --markdown page.md"),
            Example(
                meaning: "Write the changes of the defaults as an overlay:",
                command: "capsule diff before.plist after.plist --overlay changes.plist"),
        ],
        statuses: [
            Meaning(
                "0",
                "*A* and *B* differ only in noise, or not at all. With `--exit-zero`: always. With `--expect`: passed."),
            Meaning("1", "*A* and *B* differ, in content or only in encoding. With `--expect`: failed."),
            Meaning("2", "Failure; a message on standard error says why."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [
            .cacheHome, .pager, .sourceDateEpoch, Meaning("CI", "If set, as CI systems do, `--open` opens nothing."),
            .stepSummary("With `--expect`, the Markdown report"),
        ],
        related: ["apply", "log", "overlay", "pack", "plist", "run"])

    static let judgingFlags = FlagDefinition.list(
        .all, .byValue, .carryWhole, .context, .expect, .expectUpdate, .expectWrite, .html, .junit, .learn, .lines, .loose,
        .markdown, .nameOnly,
        .nameStatus, .noCache, .noGroups, .null, .oneWay, .open, .overlayFile, .plain, .rows, .rules, .showSecrets, .stat, .times,
        .exclude.worded(
            summary: "don't compare entries that match GLOB (repeatable)",
            details: """
                Don't compare entries whose path matches *GLOB*, with everything in them and all files of a database; a note says how \
                many there are. `*.log` matches in every directory, and a pattern with a `/` must match the whole path. With `--expect`, a \
                `MustNot` clause or a `Count` that may match one of them fails, because it can't be judged. Repeatable.
                """),
        .arrays.pairing(in: .input, "`ordered` or `replace` (the arrays are compared as sequences)"),
        .force.replacing(
            summary: "replace existing files",
            details: "Replace an existing *FILE* of any of these flags."),
        .full.worded(
            summary: "show all values, rows and lines in full",
            details: """
                Show all rows, all lines and complete values. Without this flag, long output is shortened, which is \
                marked, and the comparison of a database stops after a minute.
                """),
        .groups.worded(
            summary: "read app group ID from DIR (repeatable)",
            details: """
                If *A* or *B* is a directory, use *DIR* as its app group *ID*. Without this flag, the app groups in \
                a capsule are not compared with a directory. Repeatable.
                """),
        .strictPatterns.worded(
            in: .noise,
            details: """
                Fail, and write nothing, if a rule of `--rules` or a pattern of `--exclude` matches nothing, or if a `May` or `MustNot` clause of `--expect` can't \
                match anything.
                """))

    static let judgingConstraints: [Constraint] = {
        let forms = [Constraint.Use(.nameOnly), Constraint.Use(.nameStatus), Constraint.Use(.stat), Constraint.Use(.json)]
        var constraints: [Constraint] = []
        for (number, form) in forms.enumerated() {
            for other in forms[(number + 1)...] {
                constraints.append(.conflict(form, other, reason: nil))
            }
        }
        let files = [
            Constraint.Use(.overlayFile, ["-"]), Constraint.Use(.html, ["-"]), Constraint.Use(.junit, ["-"]),
            Constraint.Use(.markdown, ["-"]), Constraint.Use(.learn, ["-"]), Constraint.Use(.expectWrite, ["-"]),
        ]
        for file in files {
            for form in forms {
                constraints.append(.conflict(file, form, reason: "both would write to standard output"))
            }
        }
        return constraints + [
            .conflict(Constraint.Use(.nameOnly), Constraint.Use(.full), reason: "'--name-only' shows no values"),
            .conflict(Constraint.Use(.nameStatus), Constraint.Use(.full), reason: "'--name-status' shows no values"),
            .conflict(Constraint.Use(.stat), Constraint.Use(.full), reason: "'--stat' shows no values"),
            .conflict(Constraint.Use(.exclude), Constraint.Use(.overlayFile), reason: "an overlay covers whole containers"),
            .conflict(
                Constraint.Use(.exclude), Constraint.Use(.expectUpdate),
                reason: "an expectation is updated from a whole comparison"),
            .conflict(Constraint.Use(.expectUpdate), Constraint.Use(.expect), reason: "'--expect-update' checks the file too"),
            .conflict(
                Constraint.Use(.expectUpdate), Constraint.Use(.expectWrite),
                reason: "'--expect-update' changes an expectation, '--expect-write' writes a new one"),
            .conflict(
                Constraint.Use(.learn), Constraint.Use(.expectUpdate),
                reason: "learn the noise first, then update an expectation"),
            .conflict(
                Constraint.Use(.learn), Constraint.Use(.expect), reason: "learn the noise first, then check an expectation"),
            .requirementOfAny(
                [Constraint.Use(.expect), Constraint.Use(.expectUpdate)], of: Constraint.Use(.junit),
                reason: "the report lists the results of the expectation"),
            .requirement(
                Constraint.Use(.expectWrite), of: Constraint.Use(.loose), reason: "it says what the expectation leaves out"),
            .conflict(Constraint.Use(.html, ["-"]), Constraint.Use(.open), reason: "only a file can be opened"),
            .requirementOfAny(
                [Constraint.Use(.nameOnly), Constraint.Use(.nameStatus)], of: Constraint.Use(.null),
                reason: "it changes how they print names"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.plain), reason: "it sets the kind of overlay to write"),
            .requirement(Constraint.Use(.overlayFile), of: Constraint.Use(.byValue), reason: "it sets what the overlay contains"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.carryWhole), reason: "it sets what the overlay contains"),
            .requirement(Constraint.Use(.overlayFile), of: Constraint.Use(.oneWay), reason: "it sets what the overlay contains"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.byValue), reason: "'--plain' is for property lists only"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.carryWhole), reason: "'--plain' is for property lists only"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.oneWay), reason: "'--plain' is for property lists only"),
        ]
    }()
}

extension Flag<Bool> {
    package static var loose: Self {
        Self(
            "loose", in: .expectation,
            summary: "with --expect-write: leave out the content of whole files",
            details: """
                With `--expect-write`: leave out the digests and sizes of files that are not described value by value or \
                row by row, such as texts, images and new files. They may then have any content.
                """)
    }

    package static var times: Self {
        Self(
            "times", in: .input,
            summary: "compare modification times too",
            details: "Compare modification times too.")
    }

    package static var all: Self {
        Self(
            "all", in: .noise,
            summary: "show noise too",
            details: "Show noise too, each change with its class.")
    }

    package static var byValue: Self {
        Self(
            "by-value", in: .output,
            summary: "leave bytes of property lists out of the overlay",
            details: """
                With `--overlay`: store the values of property lists, not their bytes. When the overlay is applied, \
                each property list keeps its encoding.
                """)
    }

    package static var carryWhole: Self {
        Self(
            "carry-whole", in: .output,
            summary: "store changed files whole in the overlay",
            details: """
                With `--overlay`: store the complete old and new content of each changed file, instead of only the \
                changed blocks of large files. This makes the overlay larger, but `apply --three-way` and `apply \
                --force` can then apply it to files that have changed since.
                """)
    }

    package static var exitZero: Self {
        Self(
            "exit-zero", in: .output,
            summary: "exit with status 0 even if they differ",
            details: "Exit with status 0 even if there are differences.")
    }

    package static var nameOnly: Self {
        Self(
            "name-only", otherWords: ["--names"], in: .output,
            summary: "show only the path of each entry",
            details: "Show only the path of each entry that differs, the new path if it was moved, one per line.")
    }

    package static var nameStatus: Self {
        Self(
            "name-status", in: .output,
            summary: "show one letter and a path per entry",
            details: """
                Show one line per entry: a letter, a tab and the path. `A` is added, `D` deleted, `M` modified, \
                `R100` moved (with both paths), `T` a different type, `E` the same value in a different encoding, \
                and `P` different mode or attributes. With `--all`, noise has lower-case letters. `capsule help \
                reports` describes the details.
                """)
    }

    package static var null: Self {
        Self(
            "null", "z", in: .output,
            summary: "end names with NUL, quote nothing",
            details: "With `--name-status` and `--name-only`: end letters and paths with NUL, and quote nothing.")
    }

    package static var oneWay: Self {
        Self(
            "one-way", in: .output,
            summary: "leave undo data out of the overlay",
            details: """
                With `--overlay`: leave out the old contents. The overlay is smaller, but it can't be inverted.
                """)
    }

    package static var open: Self {
        Self(
            "open", in: .output,
            summary: "open the HTML page in a browser",
            details: """
                Open the page of `--html` in a browser, or without `--html` one in a temporary file for you alone. In CI, or \
                without a terminal, nothing is opened.
                """)
    }

    package static var plain: Self {
        Self(
            "plain", in: .output,
            summary: "write a partial property list as the overlay",
            details: """
                With `--overlay`: write a partial property list, which contains only the keys that change. This \
                fails if *B* lacks a key of *A* or has elements in a different order, because a partial property \
                list can't express that.
                """)
    }

    package static var showSecrets: Self {
        Self(
            "show-secrets", in: .output,
            summary: "show secrets, such as tokens and cookies",
            details: """
                Show secrets, which reports hide: texts and data whose key or column is named for one, such as a token, a password \
                or a session, what looks like one, and the values of cookies and keychains. Expectations judge them in any case.
                """)
    }

    package static var stat: Self {
        Self(
            "stat", in: .output,
            summary: "show how much differs per entry",
            details: "Show one line per entry that says how much of it differs.")
    }
}

extension Flag<[UInt8]?> {
    package static var learn: Self {
        Self(
            "learn", value: "FILE", .file(.output(.file)), in: .noise,
            summary: "write noise rules for everything shown to FILE",
            details: """
                Write a noise rule for each change to *FILE*. Use it on two captures of an app that did nothing in \
                between, and read the rules before you use them. The file is JSON if its name ends in `.json`, else \
                a property list. `-` writes the rules to standard output, and the changes are not printed.
                """)
    }

    package static var rules: Self {
        Self(
            "rules", value: "FILE", .file(.input), in: .noise,
            summary: "read more noise rules from FILE",
            details: """
                Use the noise rules in *FILE*, in addition to the built-in rules. If several rules match a change, \
                the last one decides. A rule that matches nothing is a warning. `capsule help rules` describes the \
                file.
                """)
    }

    package static var expect: Self {
        Self(
            "expect", value: "FILE", .file(.input), in: .expectation,
            summary: "check the changes against the expectation FILE",
            details: """
                Check the changes against the expectation in *FILE*, which lists the changes that must, may and must \
                not happen. The check covers every change, even if `--rows` or `--lines` leaves it out of the \
                output. The exit status is 0 if the check passed, and 1 if it failed. `capsule help expectations` \
                describes the file.
                """)
    }

    package static var expectUpdate: Self {
        Self(
            "expect-update", value: "FILE", .file(.output(nil)), in: .expectation,
            summary: "update the expectation FILE with the changes",
            details: """
                Update the expectation in *FILE* to match the changes, then check them. `Must` clauses that are met \
                stay, with their notes. The others are removed, and the changes in their place are added to `Must`, as is \
                each change that no clause matches. `May` and `MustNot` clauses stay, so a forbidden change still \
                fails. Capsule prints each clause that it adds or removes; read them before you commit the \
                file.
                """)
    }

    package static var expectWrite: Self {
        Self(
            "expect-write", value: "FILE", .file(.output(.file)), in: .expectation,
            summary: "write an expectation of the changes to FILE",
            details: """
                Write an expectation to *FILE* that lists every change except noise. A second run that makes the \
                same changes passes. Files that are not described value by value or row by row are named with their \
                digest and size, unless `--loose` is used. The file is JSON if its name ends in `.json`, else a property list. `-` writes \
                it to standard output, and the changes are not printed.
                """)
    }

    package static var junit: Self {
        Self(
            "junit", value: "FILE", .file(.output(.report(.testSuite))), in: .expectation,
            summary: "with --expect: write a JUnit report to FILE",
            details: """
                With `--expect` or `--expect-update`: write the result to *FILE* as a JUnit XML report for CI \
                systems. An earlier report is replaced.
                """)
    }

    package static var html: Self {
        Self(
            "html", value: "FILE", .file(.output(.report(.page))), in: .output,
            summary: "write an HTML report to FILE",
            details: """
                Write a report for a browser to *FILE*: one page, with everything in it. With `--expect`, the result \
                is at the top and each finding links to its place. An earlier report is replaced. `-` is standard \
                output.
                """)
    }

    package static var markdown: Self {
        Self(
            "markdown", value: "FILE", .file(.output(.report(.markdown))), in: .output,
            summary: "write a Markdown report to FILE",
            details: """
                Write a report for a pull request to *FILE*, in the Markdown of GitHub and GitLab: the counts, a table of the entries, and \
                the changes of each, folded. With `--expect`, the result is at the top. The report has at most 60,000 characters, and says \
                what it leaves out. An earlier report is replaced. `-` is standard output.
                """)
    }

    package static var overlayFile: Self {
        Self(
            "overlay", value: "FILE", .file(.output(.file)), in: .output,
            summary: "write to FILE an overlay that turns A into B",
            details: """
                Write an overlay to *FILE* that turns *A* into *B*; `capsule apply` applies it. It contains old and \
                new values, including secrets. For two property lists it is a property list. For two containers it \
                is a capsule, and its name should end in `.capsule`. `-` writes it to standard output, and the \
                changes are not printed.
                """)
    }
}

extension Flag<Int?> {
    package static var context: Self {
        Self(
            "context", value: "N", .integer(0...10_000), in: .output,
            summary: "lines of context around changed text (default: 3)",
            details: "Show *N* lines of context around changed lines of text; the default is 3.")
    }

    package static var lines: Self {
        Self(
            "lines", value: "N", .integer(0...1_000_000_000), in: .output,
            summary: "show at most N lines per text (default: 1000)",
            details: "Show at most *N* lines of each text that differs; the default is 1000.")
    }

    package static var rows: Self {
        Self(
            "rows", value: "N", .integer(0...1_000_000_000), in: .output,
            summary: "show at most N rows per table (default: 1000)",
            details: """
                Show at most *N* rows of each table that differs; the default is 1000. All rows are still compared \
                and counted.
                """)
    }
}

extension Positional<[UInt8]> {
    package static var old: Self { Self("A", .container(.input)) }
}

extension Positional<[UInt8]?> {
    package static var new: Self { Self(optional: "B", .container(.input)) }
}
