extension CommandDefinition {
    /// `capsule diff`
    static let diff = CommandDefinition(
        verb: "diff",
        summary: "show what differs between two containers or property lists",
        otherWords: ["cmp", "compare", "difference"],
        forms: [CommandForm(.diff, [Positional(.old, "A", .container(.input)), Positional(.new, "B", .container(.input))])],
        flags: diffInput + diffNoise + diffExpectations + diffOutput + Flag.common,
        constraints: diffConstraints + Constraint.common,
        description: [
            """
            Compares the containers *A* and *B*, of any form, or two property lists. Entries are matched by path, and files \
            that moved by their content. Files that differ are looked into by what they are: property lists and keyed \
            archives, JSON, SQLite databases with their logs, texts, cookies, images, and what is compressed. `+` is what only \
            *B* has, `-` what only *A* has, `~` what changed, `>` a file that moved, and `!` something that was not compared or \
            is not shown.
            """,
            """
            A place in a property list is a JSON Pointer. The order of keys does not count, types do: 1, 1.0 and true are three \
            values. Elements of arrays are paired by what they are known by, as `capsule overlay identities` lists it, and then \
            have that in the pointer: `/CFBundleURLTypes/[CFBundleURLName=login]`. Property lists inside of data are compared \
            too. A database is compared row by row, as a private copy with its log; nothing beside the original is touched.
            """,
            """
            Changes that iOS and apps make by themselves are noise: cached scenes, caches, temporary files, Core Data's \
            counters. They are counted and not shown, and make no difference to the status. `--all` shows them, `--rules` says \
            what else is noise.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "See what a test run did to an app's data:",
                command: "capsule diff before.capsule after.xcappdata"),
            Example(
                meaning: "Let a CI job fail if it did more than it should:",
                command: "capsule diff A.capsule B.capsule --expect run.plist --junit ci.xml"),
            Example(
                meaning: "Make a report to be opened in a browser:",
                command: "capsule diff before.capsule after.capsule --html report.html"),
            Example(
                meaning: "Write what changed in the defaults as an overlay, to be applied, inverted or composed:",
                command: "capsule diff before.plist after.plist --overlay changes.plist"),
        ],
        statuses: [
            Meaning(
                "0",
                "Nothing but noise differs; with `--exit-zero` also if they differ; with `--expect` if what is expected holds."),
            Meaning("1", "They differ, in content or in encoding only; with `--expect` if something expected does not hold."),
            Meaning("2", "Failure; a message on standard error says why."),
        ] + Meaning.always,
        environment: sorted(Meaning.commonEnvironment + [.cacheHome, .pager, .sourceDateEpoch]),
        related: ["apply", "log", "overlay", "pack", "plist"])

    private static let diffConstraints: [Constraint] = {
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
                Constraint.Use(.exitZero), Constraint.Use(.expect),
                reason: "with '--expect' the status says whether it holds, whatever differs"),
            .conflict(
                Constraint.Use(.learn), Constraint.Use(.expect), reason: "what is to be learnt is not expected yet"),
            .requirement(
                Constraint.Use(.expect), of: Constraint.Use(.junit), reason: "the report says which expectations hold"),
            .requirement(
                Constraint.Use(.nameStatus), of: Constraint.Use(.null), reason: "only '--name-status' has names to end"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.plain), reason: "it says what kind of overlay is written"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.byValue), reason: "it says what the overlay has"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.carryWhole), reason: "it says what the overlay has"),
            .requirement(
                Constraint.Use(.overlayFile), of: Constraint.Use(.oneWay), reason: "it says what the overlay has"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.byValue), reason: "'--plain' is of property lists alone"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.carryWhole), reason: "'--plain' is of property lists alone"),
            .conflict(Constraint.Use(.plain), Constraint.Use(.oneWay), reason: "'--plain' is of property lists alone"),
        ]
    }()
}
