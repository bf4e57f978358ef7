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
