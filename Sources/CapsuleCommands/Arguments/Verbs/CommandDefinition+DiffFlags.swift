import CapsuleEngine

extension CommandDefinition {
    static let diffInput = [
        Flag(
            .arrays, "arrays", value: Flag.Value("PATTERN=IDENTITY", .text, isRepeatable: true), in: .input,
            summary: "how the elements of arrays pair (repeatable)",
            details: """
                Say how the elements of the arrays that *PATTERN* names pair: `keyed(KEY)`, `keyed(KEY?)`, \
                `keyed(KEY), nocase`, `set`, `ordered` or `replace`, which compares them as sequences. Repeatable.
                """),
        Flag(
            .group, "group", value: Flag.Value("ID=DIR", .namedDirectory(.input), isRepeatable: true), in: .input,
            summary: "take app group ID from DIR if live (repeatable)",
            details: """
                Take the app group *ID* from the directory *DIR* for whichever of *A* and *B* is a directory. Without it, app \
                groups that only a capsule has are left out of the comparison with a directory, with a note. Repeatable.
                """),
        Flag(
            .noCache, "no-cache", in: .input,
            summary: "do not use what is known of unchanged files",
            details: """
                Read every file of a directory, and leave the cache of digests alone. The cache takes a file whose size and \
                times are those that it had to be unchanged; one that an app writes through mapped memory may change without \
                a new time.
                """),
        Flag(
            .times, "times", in: .input,
            summary: "compare times of modification, too",
            details: "Compare the times of the last change, too. Otherwise another time is no difference."),
    ]

    static let diffNoise = [
        Flag(
            .all, "all", in: .noise,
            summary: "show noise, too",
            details: "Show the changes that are noise, too, each with its class. They still make no difference to the status."),
        Flag(
            .learn, "learn", value: Flag.Value("FILE", .file(.output(.file))), in: .noise,
            summary: "write rules that would silence what differs to FILE",
            details: """
                Write to *FILE* the rules that would make noise of all that differs, the narrowest first: for two captures of an \
                app that did nothing between them. Read them before you use them: each has a note. They are JSON if the name ends in \
                `.json`, else a property list. `-` is standard output, in place of the lines.
                """),
        Flag(
            .rules, "rules", value: Flag.Value("FILE", .file(.input)), in: .noise,
            summary: "take more rules about noise from FILE",
            details: """
                Take rules about noise from *FILE*, a property list or JSON, after those that are built in: the last one that \
                fits a change wins, and the class `signal` is never noise. `capsule-diff`(5) describes them. \
                Rules that decide about no change are a warning; with `--strict-patterns` they are an error.
                """),
        .strictPatterns(in: .noise, "Fail if a rule of `--rules` decides about no change, before anything is written."),
    ]

    static let diffExpectations = [
        Flag(
            .expect, "expect", value: Flag.Value("FILE", .file(.input)), in: .expectation,
            summary: "say whether the changes are those that FILE expects",
            details: """
                Say whether the changes are those that *FILE*, a property list or JSON, expects: what must change, what may, and \
                what must not. Every change is judged, also those that are not shown. The status says whether it holds, and \
                each change that breaks it is named, also with `--quiet`. `capsule-diff`(5) describes them.
                """),
        Flag(
            .expectWrite, "expect-write", value: Flag.Value("FILE", .file(.output(.file))), in: .expectation,
            summary: "write what differs as an expectation to FILE",
            details: """
                Write to *FILE* an expectation of all that differs, also of what is not shown: a second run that does the same \
                holds it. It is JSON if the name ends in `.json`, else a property list. `-` is standard output, in place of the lines.
                """),
        Flag(
            .junit, "junit", value: Flag.Value("FILE", .file(.output(.report(.testSuite)))), in: .expectation,
            summary: "with --expect: write a JUnit report to FILE",
            details: """
                With `--expect`: write to *FILE* a report in JUnit's XML, which CI systems show. It replaces an earlier report that \
                Capsule wrote.
                """),
    ]

    static let diffOutput = [
        Flag(
            .byValue, "by-value", in: .output,
            summary: "leave the bytes of property lists out of the overlay",
            details: """
                Let the overlay change property lists by their values alone, and leave their bytes out. Applied to *A* it then gives \
                property lists with the values that *B* has, in the encoding that they had.
                """),
        Flag(
            .carryWhole, "carry-whole", in: .output,
            summary: "carry all bytes of changed files in the overlay",
            details: """
                Let the overlay of two containers carry changed files whole, before and after, and not large ones by what changed in \
                them. It is longer, and `apply --three-way` can merge, and `apply --force` replace, files that are others by then.
                """),
        Flag(
            .context, "context", value: Flag.Value("N", .integer(0...10_000)), in: .output,
            summary: "lines around those that differ in texts (default: 3)",
            details: "Show *N* lines around those that differ in texts; the default is 3."),
        Flag(
            .exitZero, "exit-zero", in: .output,
            summary: "end with status 0 even if they differ",
            details: "End with status 0 even if they differ, for scripts that stop at anything else."),
        .force(
            summary: "replace existing files",
            details: """
                Replace an existing *FILE* of any flag here, once the new one is whole. Reports that Capsule wrote are replaced by \
                reports without it.
                """),
        Flag(
            .full, "full", in: .output,
            summary: "show all values, rows and lines whole",
            details: """
                Show values whole, however long, and all rows and lines. Otherwise long strings and data are cut, and only so \
                many rows and lines are shown, which is marked. Databases are compared for as long as it takes, and not for a \
                minute each.
                """),
        Flag(
            .html, "html", value: Flag.Value("FILE", .file(.output(.report(.page)))), in: .output,
            summary: "write a report for a browser to FILE",
            details: """
                Write to *FILE* a report in HTML, one page that needs nothing else: a tree to fold, filters, tables of rows and \
                keys, pictures side by side. It replaces an earlier report that Capsule wrote. `-` is standard output.
                """),
        Flag(
            .lines, "lines", value: Flag.Value("N", .integer(0...1_000_000_000)), in: .output,
            summary: "lines of a text that are shown (default: 1000)",
            details: "Show at most *N* lines of each text that differs; the default is 1000."),
        Flag(
            .nameStatus, "name-status", in: .output,
            summary: "show one letter and a path for each entry",
            details: """
                Show one line for each entry: `A` added, `D` deleted, `M` modified, `R100` moved, with both paths, `T` of another \
                type, `E` the same value in another encoding, `P` with other modes or attributes only; then a tab and the path, in \
                C's quotation where it has control characters. With `--all` noise has lower-case letters. Of contents only small \
                property lists are looked into, so two capsules take no longer than reading their indexes; a change inside of \
                anything else is `M`, and no noise. Of two property lists it shows pointers, with `O` for another order.
                """),
        Flag(
            .null, "null", "z", in: .output,
            summary: "with --name-status: end all with NUL, and quote nothing",
            details: "With `--name-status`: end letters and paths with NUL instead, and quote nothing."),
        Flag(
            .oneWay, "one-way", in: .output,
            summary: "leave the way back out of the overlay",
            details: "Leave the old files' bytes out of the overlay of two containers: it is smaller, and can't be inverted."),
        Flag(
            .overlayFile, "overlay", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
            summary: "write the overlay that turns A into B to FILE",
            details: """
                Write to *FILE* the overlay that turns *A* into *B*, with what was there before in it, so that it can be inverted and \
                tests what it changes. Of two property lists it is a document with their values, and leaves the encoding as it is. \
                Of two containers it is a capsule that carries the files, or a document where it has none to carry; noise is in \
                it, too. `-` is standard output, in place of the lines. It holds values old and new, secrets among them.
                """),
        Flag(
            .plain, "plain", in: .output,
            summary: "write a truncated property list as the overlay",
            details: """
                Write the overlay as the smallest truncated property list that, merged deep over *A*, gives *B*. Where there is \
                none, since something is removed or reordered, that is an error that says where.
                """),
        Flag(
            .rows, "rows", value: Flag.Value("N", .integer(0...1_000_000_000)), in: .output,
            summary: "rows of a table that are shown (default: 1000)",
            details: """
                Show at most *N* rows of each table that differs; the default is 1000. All of them are compared, counted and held \
                against an expectation.
                """),
        Flag(
            .showSecrets, "show-secrets", in: .output,
            summary: "show the values of cookies and keychains",
            details: "Show the values of cookies and of keychains, which are hidden otherwise."),
        Flag(
            .stat, "stat", in: .output,
            summary: "show how much differs in each entry",
            details: "Show one line for each entry, with how much of it differs."),
    ]
}
