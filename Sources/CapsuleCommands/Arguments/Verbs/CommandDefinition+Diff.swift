import CapsuleEngine

extension CommandDefinition {
    /// `capsule diff`
    static let diff = CommandDefinition(
        verb: "diff",
        summary: "show what differs between two containers or files",
        otherWords: ["cmp", "compare", "difference", "status"],
        forms: [
            CommandForm(
                .diff,
                [
                    Positional(.old, "A", .container(.input)), Positional(.new, "B", .container(.input), .optional),
                    Positional(.paths, "PATH", .path, .any),
                ])
        ],
        flags: diffInput + diffNoise + diffExpectations + diffOutput + Flag.common,
        constraints: judgingConstraints + [
            .conflict(
                Constraint.Use(.exitZero), Constraint.Use(.expect),
                reason: "with '--expect' the exit status says whether the expectation passed"),
            .conflict(
                Constraint.Use(.exitZero), Constraint.Use(.expectUpdate),
                reason: "with '--expect-update' the exit status says whether the expectation passed"),
        ] + Constraint.common,
        description: [
            """
            Compare the containers *A* and *B*, in any form, or two files. With only *A*, a capsule, compare its last two \
            versions; `FILE@1..2` names any two. If *PATH*s are given (paths or patterns), compare only these parts; they \
            can follow a range such as `FILE@1..2` directly. `CONTAINER:PATH` \
            for *A* or *B* is one file in a container: compare it with another file. Entries are \
            matched by path; moved files are matched by content. Files that differ are compared by type: property lists and keyed archives, JSON, \
            SQLite databases with their logs, text, cookies, images, and compressed data. `+` is only in *B*, `-` only in \
            *A*, `~` changed, `>` moved, and `!` is a note: something couldn't be fully compared or is not shown.
            """,
            """
            A place in a property list is a JSON Pointer. The order of keys doesn't matter, but types do: 1, 1.0 and true \
            are different values. Array elements are paired by an identifying key, as `capsule overlay identities` lists, \
            and their pointers contain it: `/CFBundleURLTypes/[CFBundleURLName=login]`. Property lists inside data values \
            are compared too. A database is compared row by row, in a private copy that includes its log; the original and \
            the files next to it are not touched.
            """,
            """
            Changes that iOS and apps make by themselves are noise: cached scenes, caches, temporary files, Core Data's \
            counters. Noise is counted but not shown, and doesn't affect the exit status. `--all` shows it, and `--rules` \
            adds rules for more noise.
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
                meaning: "Write a report for a browser:",
                command: "capsule diff before.capsule after.capsule --html report.html"),
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
        environment: sorted(
            Meaning.commonEnvironment + [
                .cacheHome, .pager, .sourceDateEpoch, Meaning("CI", "If set, as CI systems do, `--open` opens nothing."),
            ]),
        related: ["apply", "log", "overlay", "pack", "plist", "run"])

    /// What flags of `diff` and `run` mean together.
    static let judgingConstraints: [Constraint] = {
        let forms: [Flag.ID] = [.nameStatus, .stat, .json]
        var constraints: [Constraint] = []
        for (number, form) in forms.enumerated() {
            for other in forms[(number + 1)...] {
                constraints.append(.conflict(Constraint.Use(form), Constraint.Use(other), reason: nil))
            }
        }
        for file in [Flag.ID.overlayFile, .html, .junit, .learn, .expectWrite] {
            for form in forms {
                constraints.append(
                    .conflict(
                        Constraint.Use(file, ["-"]), Constraint.Use(form), reason: "both would write to standard output"))
            }
        }
        return constraints + [
            .conflict(Constraint.Use(.nameStatus), Constraint.Use(.full), reason: "'--name-status' shows no values"),
            .conflict(Constraint.Use(.stat), Constraint.Use(.full), reason: "'--stat' shows no values"),
            .conflict(
                Constraint.Use(.expectUpdate), Constraint.Use(.expect), reason: "'--expect-update' checks the file too"),
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
            .requirement(Constraint.Use(.html), of: Constraint.Use(.open), reason: "it opens the HTML report"),
            .conflict(Constraint.Use(.html, ["-"]), Constraint.Use(.open), reason: "only a file can be opened"),
            .requirement(
                Constraint.Use(.nameStatus), of: Constraint.Use(.null), reason: "it changes the output of '--name-status'"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.plain), reason: "it sets the kind of overlay to write"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.byValue), reason: "it sets what the overlay contains"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.carryWhole), reason: "it sets what the overlay contains"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.oneWay), reason: "it sets what the overlay contains"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.byValue), reason: "'--plain' is for property lists only"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.carryWhole), reason: "'--plain' is for property lists only"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.oneWay), reason: "'--plain' is for property lists only"),
        ]
    }()
}

extension CommandDefinition {
    static let diffInput = [
        Flag(
            .arrays, "arrays", value: Flag.Value("PATTERN=IDENTITY", .text, isRepeatable: true), in: .input,
            summary: "how to pair the elements of arrays (repeatable)",
            details: """
                Set how to pair the elements of arrays that match *PATTERN*. *IDENTITY* is `keyed(KEY)`, `'keyed(KEY), \
                nocase'`, `keyed(KEY?)` where elements can lack the key, `set`, `ordered` or `replace`. \
                Arrays that are `ordered` or `replace` are compared as sequences. Repeatable.
                """),
        Flag(
            .group, "group", value: Flag.Value("ID=DIR", .namedDirectory(.input), isRepeatable: true), in: .input,
            summary: "read app group ID from DIR (repeatable)",
            details: """
                Use *DIR* as the directory of the app group whose identifier is *ID*, for each of *A* and *B* that is a directory. Without it, \
                app groups that only a capsule has are not compared with a directory, and a note says so. Repeatable.
                """),
        Flag(
            .noCache, "no-cache", in: .input,
            summary: "ignore the digest cache",
            details: """
                Read every file of a directory, and neither use nor update the digest cache. With the cache, a file with the \
                same size and times counts as unchanged. A file that an app writes through mapped memory can change without \
                a new modification time.
                """),
        Flag(
            .times, "times", in: .input,
            summary: "compare modification times too",
            details: "Compare modification times too. Without this flag, a different time is not a difference."),
    ]

    static let diffNoise = [
        Flag(
            .all, "all", in: .noise,
            summary: "show noise too",
            details: "Show changes that are noise too, each with its class. They still don't affect the exit status."),
        Flag(
            .learn, "learn", value: Flag.Value("FILE", .file(.output(.file))), in: .noise,
            summary: "write noise rules for everything shown to FILE",
            details: """
                Write to *FILE* a noise rule for each difference, the narrowest rule first. Use it on two captures of an app that \
                did nothing in between. Read the rules before you use them: each has a note. The format is JSON if the name \
                ends in `.json`, else a property list. `-` is standard output, instead of the changes.
                """),
        Flag(
            .rules, "rules", value: Flag.Value("FILE", .file(.input)), in: .noise,
            summary: "read more noise rules from FILE",
            details: """
                Read noise rules from *FILE*, a property list or JSON. They follow the built-in rules: the last rule that \
                matches a change decides. A rule whose class is `signal` makes changes count as real ones, not as noise. `capsule-diff`(5) describes them. A rule \
                that matches nothing is a warning; with `--strict-patterns` it is an error.
                """),
        .strictPatterns(
            in: .noise,
            """
            Fail before writing anything if a rule of `--rules` matches nothing, or if a clause of `--expect` can't match \
            anything.
            """),
    ]

    static let diffExpectations = [
        Flag(
            .expect, "expect", value: Flag.Value("FILE", .file(.input)), in: .expectation,
            summary: "check the changes against the expectation FILE",
            details: """
                Check the changes against the expectation *FILE*, a property list or JSON: which changes must happen, may \
                happen, and must not happen. Every change is checked, even if it is not shown. The exit status is the \
                result, and each finding is listed with what was seen, even with `--quiet`. A clause whose path, table, \
                column or pointer exists on neither side is a warning; with `--strict-patterns` it is an error. \
                `capsule-diff`(5) describes the file.
                """),
        Flag(
            .expectUpdate, "expect-update", value: Flag.Value("FILE", .file(.output(nil))), in: .expectation,
            summary: "update the expectation FILE with the changes",
            details: """
                Update the expectation *FILE* so that it allows the changes, and then check them. If no change matches a \
                Must clause, Capsule writes the new values at that path or row into the clause, or removes it if there \
                are none. If the number of matching changes does not fit the `Count` of a Must clause, `Count` becomes \
                that number, even if it was a range. Capsule prints each clause that it changes or removes. Changes that \
                no clause matches are added to Must, unless `Other` is `allow`. May, MustNot, notes and comments stay, so a forbidden change still fails. Read the \
                result before you commit it.
                """),
        Flag(
            .expectWrite, "expect-write", value: Flag.Value("FILE", .file(.output(.file))), in: .expectation,
            summary: "write an expectation of the changes to FILE",
            details: """
                Write to *FILE* an expectation that lists every change except noise, even changes beyond the limits of \
                the output. A second run that \
                makes the same changes passes it. The format is JSON, a line for each clause, if the name ends in `.json`, \
                else a property list. `-` is standard output, instead of the changes.
                """),
        Flag(
            .junit, "junit", value: Flag.Value("FILE", .file(.output(.report(.testSuite)))), in: .expectation,
            summary: "with --expect: write a JUnit report to FILE",
            details: """
                With `--expect` or `--expect-update`: write to *FILE* a JUnit XML report, which CI systems show. In the \
                report, a May or MustNot clause that can't match anything is a skipped test. It replaces an earlier report that Capsule wrote.
                """),
    ]

    static let diffOutput = [
        Flag(
            .byValue, "by-value", in: .output,
            summary: "leave bytes of property lists out of the overlay",
            details: """
                Store only the values of property lists in the overlay, not their bytes. Applied to *A*, it gives property \
                lists with the values of *B* in the encoding of *A*.
                """),
        Flag(
            .carryWhole, "carry-whole", in: .output,
            summary: "store changed files whole in the overlay",
            details: """
                In an overlay of two containers, store the complete old and new content of each changed file. Without this \
                flag, only the changed blocks of large files are stored. The overlay is larger, but `apply --three-way` and \
                `apply --force` then also work on files that have changed since.
                """),
        Flag(
            .context, "context", value: Flag.Value("N", .integer(0...10_000)), in: .output,
            summary: "lines of context around changed text (default: 3)",
            details: "Show *N* lines of context around changed lines of text; the default is 3."),
        Flag(
            .exitZero, "exit-zero", in: .output,
            summary: "exit with status 0 even if they differ",
            details: "Exit with status 0 even if *A* and *B* differ, for scripts that stop at any other status."),
        .force(
            summary: "replace existing files",
            details: """
                Replace an existing *FILE* of any of these flags when the new one is complete. An earlier report that \
                Capsule wrote is replaced even without this flag.
                """),
        Flag(
            .full, "full", in: .output,
            summary: "show all values, rows and lines in full",
            details: """
                Show all rows and lines, and every value in full. Without this flag, long strings and data are cut and the \
                number of rows and lines is limited, and the output marks that. With it, there is also no time limit for \
                comparing a database, which is a minute otherwise.
                """),
        Flag(
            .html, "html", value: Flag.Value("FILE", .file(.output(.report(.page)))), in: .output,
            summary: "write an HTML report to FILE",
            details: """
                Write an HTML report to *FILE*: one self-contained page with a collapsible tree, filters, tables of rows and \
                keys, and pictures side by side. With `--expect`, the verdict is at the top, each finding links to its \
                place, and a filter shows only entries with findings. It replaces an earlier report that Capsule wrote. `-` is standard output.
                """),
        Flag(
            .lines, "lines", value: Flag.Value("N", .integer(0...1_000_000_000)), in: .output,
            summary: "show at most N lines per text (default: 1000)",
            details: "Show at most *N* lines of each text that differs; the default is 1000."),
        Flag(
            .nameStatus, "name-status", otherWords: ["--name-only", "--names"], in: .output,
            summary: "show one letter and a path per entry",
            details: """
                Show one line per entry: a letter, a tab and the path. `A` is added, `D` deleted, `M` modified, `R100` moved \
                (with both paths), `T` a different type, `E` the same value in a different encoding, and `P` different mode \
                or attributes only. Paths with control characters are quoted as in C. With `--all`, noise has lower-case \
                letters. To be fast, this reads only the indexes of two capsules and the property lists up to 1 MiB that \
                differ. Any other changed file is shown as `M`, and only its path decides whether it is noise. If *A* and *B* are property lists, each line \
                has a pointer instead of a path, and `O` means a different order.
                """),
        Flag(
            .null, "null", "z", in: .output,
            summary: "with --name-status: end fields with NUL, quote nothing",
            details: "With `--name-status`: end letters and paths with NUL, and quote nothing."),
        Flag(
            .oneWay, "one-way", in: .output,
            summary: "leave undo data out of the overlay",
            details: """
                Leave the old files' bytes out of an overlay of two containers. It is smaller, but can't be inverted.
                """),
        Flag(
            .open, "open", in: .output,
            summary: "with --html: open the report in a browser",
            details: """
                With `--html`: open the report in a browser, with `open` on macOS and `xdg-open` elsewhere. Nothing is opened if \
                standard error is not a terminal or the environment variable `CI` is set. If the report can't be opened, a \
                warning says so, and the exit status is the same.
                """),
        Flag(
            .overlayFile, "overlay", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write to FILE an overlay that turns A into B",
            details: """
                Write to *FILE* an overlay that turns *A* into *B*. It contains old and new values, including secrets: it \
                can be inverted, and `apply` checks the old values first. For two property lists it is an overlay \
                document (`capsule-overlay`(5)) with their values; it does not change the encoding. For two containers it \
                is an overlay capsule with the files, and its name should end in `.capsule`. With `--by-value`, if there \
                are no files to store, it is a document, and its name can end in `.json` or `.plist`. It includes noise. `-` is standard output, instead of the changes.
                """),
        Flag(
            .plain, "plain", in: .output,
            summary: "write a partial property list as the overlay",
            details: """
                Write the overlay as the smallest partial property list that turns *A* into *B* when deep-merged. If there \
                is none, because something is removed or reordered, that is an error that says where.
                """),
        Flag(
            .rows, "rows", value: Flag.Value("N", .integer(0...1_000_000_000)), in: .output,
            summary: "show at most N rows per table (default: 1000)",
            details: """
                Show at most *N* rows of each table that differs; the default is 1000. All rows are still compared, counted \
                and checked against an expectation.
                """),
        Flag(
            .showSecrets, "show-secrets", in: .output,
            summary: "show the values of cookies and keychains",
            details: "Show the values of cookies and keychains, which are hidden by default."),
        Flag(
            .stat, "stat", in: .output,
            summary: "show how much differs per entry",
            details: "Show one line per entry that says how much of it differs."),
    ]
}
