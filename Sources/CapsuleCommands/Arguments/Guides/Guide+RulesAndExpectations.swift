extension Guide {
    /// `capsule help rules`
    static let rules = Guide(
        topic: "rules", summary: "which changes are noise (diff --rules)",
        otherWords: ["classes", "learn", "matches", "noise", "noise-rules", "rule"],
        sections: [
            ReferencePage.Section(
                title: "DESCRIPTION",
                blocks: [
                    .text(
                        """
                        \(whatRulesAre) `capsule diff` counts noise, but hides it. `--rules` reads a file of rules, `--learn` \
                        writes one, `--all` shows the noise, and `capsule pack --drop` leaves out entries of some classes.
                        """),
                    .text(
                        """
                        A file of rules is a property list in XML or binary, or JSON. It selects changes with matches. \
                        \(unknownWords)
                        """),
                ] + matching),
            rulesGrammar,
            ReferencePage.Section(title: "EXAMPLES", blocks: rulesExample),
            ReferencePage.Section(
                title: "SEE ALSO",
                blocks: [
                    .text("`capsule help expectations`, `capsule help diff`, `capsule-diff`(1), `capsule-diff`(5)")
                ]),
        ])

    /// The grammar of rules files.
    static let rulesGrammar = ReferencePage.Section(
        title: "RULES",
        blocks: [
            .term("`CapsuleRules`", "1"),
            .term("`Classes`", "Optional: a dictionary from the names of classes to their descriptions."),
            .term("`Rules`", "An array of matches, each with a `Class` and an optional `Note`."),
            .text(
                """
                The last rule that fits a change decides its class. A change that no rule fits is not noise. Rules of a file \
                follow the built-in rules, so they override them. The class `signal` is never noise. The line of a renamed \
                entry is noise only if it is noise at both paths. A modified row is noise if all its changed columns are. An \
                entry is noise if all its changes are and it was fully compared. If a rule of the class `signal` might fit a \
                change that is not fully known, that change is not noise.
                """),
        ] + builtIn + learning)

    private static let builtIn: [ReferencePage.Block] = [
        .text("The built-in rules, in their order:"),
        .term(
            "`core-data`",
            """
            Core Data's own counters and history, in its stores: changes of the columns `Z_OPT`, in tables whose names begin \
            with `Z`, and `Z_MAX` of `Z_PRIMARYKEY`; all rows of `Z_MODELCACHE`, `ACHANGE`, `ATRANSACTION` and \
            `ATRANSACTIONSTRING`.
            """),
        .term("`sqlite`", "All rows of `sqlite_sequence`, the counters of AUTOINCREMENT."),
        .term("`scene-sessions`", "Scenes that iOS cached: `Library/Saved Application State/**`"),
        .term("`splashboard`", "Launch images: `Library/SplashBoard/**`"),
        .term("`caches`", "`Library/Caches/**`"),
        .term(
            "`system`",
            """
            `SystemData/com.apple.AuthenticationServices/**`, `SystemData/com.apple.chrono/**`, \
            `SystemData/NewsstandArtwork/**`, `NewsstandArtwork/**`
            """),
        .term("`tmp`", "`tmp/**`"),
        .text(
            """
            The directory before `/**` is noise itself if it is added or deleted. Two more classes are found by comparing: \
            `sqlite` is also a database with the same schema and rows that is stored differently, and `cookies-order` is the \
            same cookies in a different order. Rules of a file can turn these into signals.
            """),
    ]

    private static let learning: [ReferencePage.Block] = [
        .subheading("Learning"),
        .text(
            """
            `capsule diff --learn` writes rules of the class `learned` for every difference that is not noise yet. Paths, keys \
            and pointers get `?` or `*` in place of UUIDs and long numbers. Values get the narrowest `Is` that fits both. The \
            narrowest rules come first. Each has a `Note` with an example and with how often it was seen. Read the last rules \
            most carefully.
            """),
    ]

    static let rulesExample: [ReferencePage.Block] = [
        .text("Noise rules in JSON: times are noise, and cached scene delegates are not."),
        .file(
            """
            {
              "CapsuleRules": 1,
              "Classes": {"clock": "times at which the app did something"},
              "Rules": [
                {"Class": "clock", "Path": "Library/Preferences/*.plist",
                 "Pointer": "/last*", "To": {"Is": "date"}},
                {"Class": "signal", "Path": "Library/Saved Application State/**",
                 "Pointer": "_delegateClassName"}
              ]
            }
            """),
    ]
}

extension Guide {
    /// `capsule help expectations`
    static let expectations = Guide(
        topic: "expectations", summary: "what a run must, may and must not change (diff --expect)",
        otherWords: ["assertions", "expect", "expectation", "expected", "gate", "verdict"],
        sections: [
            ReferencePage.Section(
                title: "DESCRIPTION",
                blocks: [
                    .text(
                        """
                        \(whatExpectationsAre) `capsule diff --expect` checks a diff with one and ends with status 1 if it \
                        fails. `--expect-write` writes one.
                        """),
                    .text(
                        """
                        An expectation is a property list in XML or binary, or JSON. It selects changes with matches. \
                        \(unknownWords)
                        """),
                ] + matching),
            expectationsGrammar,
            ReferencePage.Section(title: "EXAMPLES", blocks: expectationsExample),
            ReferencePage.Section(
                title: "SEE ALSO",
                blocks: [.text("`capsule help rules`, `capsule help diff`, `capsule-diff`(1), `capsule-diff`(5)")]),
        ])

    /// The grammar of expectations, and the way in which they are checked.
    static let expectationsGrammar = ReferencePage.Section(
        title: "EXPECTATIONS",
        blocks: [
            .term("`CapsuleExpectation`", "1"),
            .term(
                "`Must`, `May`, `MustNot`",
                """
                Arrays of matches, each with an optional `Count` and `Note`, and with what the entry is after the change: \
                `Digest`, `Size`, `ContentDigest`, `Target`, `Type`.
                """),
            .term("`Digest`, `Size`", "The SHA-256 of the file, in hexadecimal, and its number of bytes."),
            .term("`Target`, `Type`", "The target of a symbolic link; `directory`, for an entry that must be one."),
            .term(
                "`ContentDigest`",
                """
                For a property list, JSON or a database: a digest of its value, or of its schema and rows with the content of \
                its log, however they are stored. Dates, times, UUIDs and paths of containers count only as such.
                """),
            .term("`Other`", "`fail` (the default) or `allow`: the verdict for a change that no match fits."),
            .term(
                "`Noise`", "`ignore` (the default) or `check`: whether noise must be allowed like any other change."),
            .text(
                """
                `Count` is a number, or a dictionary with `Min` or `Max` or both. Each line that fits counts once. The line of \
                an entry counts only if the match fits no line of its content.
                """),
            .term(
                "`Must`",
                """
                The number of lines that fit must be `Count`; without `Count`, at least one line must fit. These lines are \
                allowed too.
                """),
            .term("`May`", "Lines that fit are allowed. With `Count`, their number must match it."),
            .term(
                "`MustNot`",
                """
                No line may fit, even if another match allows it. With `Count`, the number of lines that fit must not match it.
                """),
            .text(
                """
                For a modified row, each changed column must be allowed. Unless `Noise` is `check`, noise does not have to be \
                allowed, and does not count for `May`. `Must` and `MustNot` always include noise.
                """),
            .text(
                """
                Capsule reports a value that was added, removed or replaced as a whole as one change. `MustNot` and a clause with `Count` still find \
                what is inside: `/debug/menu` fits if `/debug` is added with `menu` in it. `Must` and `May` fit only a change \
                that is reported by itself.
                """),
            .text(
                """
                Every change is checked, even if it is not shown. The expectation fails if changes could be unknown: if a \
                limit of time or work ended the comparison, or if something could not be compared. It also fails if a clause \
                of `MustNot` or a clause with `Count` needs the content of a file that was not compared by its type, or a \
                value that is cut. `--full` compares without a time limit and keeps values in full. Secrets are judged as they \
                are, and hidden only in what is shown.
                """),
            .text(
                """
                `capsule diff --expect-write` writes an expectation of every difference that is not noise: all of them under \
                `Must`, with `Other` = fail. A file that is not described value by value or row by row has its `Digest` and \
                `Size`, and a new property list, JSON file or database its `ContentDigest`, unless `--loose` is used. Dates, UUIDs, paths of containers, short data and times in seconds become `Is`. Values \
                that are long, arrays, dictionaries and secrets have their `Digest`. The diff that it was written from passes it, no matter how little of \
                that diff is shown. If the comparison is not complete, no expectation is written. `--expect-update` brings an \
                existing file up to date, renews digests and sizes that a clause has, keeps `May`, `MustNot`, notes and comments, and prints each clause that it changes or \
                removes. It adds nothing if `Other` is `allow`.
                """),
            .text(
                """
                A clause whose path, table or column exists on neither side can't match. It is a warning, and with \
                `--strict-patterns` an error. If `Kind` includes `added`, the path may be one that does not exist yet; if `Kind` \
                includes `schema`, the same applies to the table. Tables are looked for in the databases that differ.
                """),
        ])

    static let expectationsExample: [ReferencePage.Block] = [
        .text("An expectation: one new row, no deleted files, and at most nine launches."),
        .file(
            """
            {
              "CapsuleExpectation": 1,
              "Must": [
                {"Path": "**/Model.sqlite", "Table": "Gif", "Kind": "added",
                 "Row": {"title": "fox"}, "Count": 1}
              ],
              "May": [
                {"Path": "Library/Preferences/*.plist", "Pointer": "/launches",
                 "To": {"Min": 1, "Max": 9}}
              ],
              "MustNot": [
                {"Path": "Documents/**", "Kind": "deleted",
                 "Note": "a run never deletes gifs"}
              ]
            }
            """),
    ]
}

// Shared by rules and expectations: the selection of changes.

extension Guide {
    static let whatRulesAre = "Noise rules say which changes are noise."
    static let whatExpectationsAre = "An expectation says which changes a run must, may and must not make."
    static let unknownWords = "Unknown keys and words are errors that name the place."

    /// The definition of a change, and the grammar of matches.
    static let matching: [ReferencePage.Block] = changes + matches + forms

    private static let changes: [ReferencePage.Block] = [
        .subheading("Changes"),
        .text(
            """
            A change is one line of the comparison. It is either about the content of an entry, such as a place of a property \
            list or a row of a table, or about the entry itself: added, deleted, renamed, of a different type, or modified \
            without further detail. If lines about its content follow, the line of a modified entry is not a change itself. \
            The line of a renamed entry always is. Lines that begin with `!` are notes, not changes.
            """),
    ]

    private static let matches: [ReferencePage.Block] = [
        .subheading("Matches"),
        .text("A match is a dictionary with at least one key. It fits a change if all its keys fit."),
        .term(
            "`Path`",
            """
            A pattern for the whole path of the entry: `*` within a name, `**` across `/`, `?`, `[a-z]`, `[!a-z]`; `\\` escapes \
            the next character. The path of a database also covers its logs and external blobs. Paths of an app group begin \
            with `AppGroups/`*ID*`/`. A renamed entry fits with either of its paths.
            """),
        .term(
            "`Pointer`",
            """
            A place in a property list or in JSON: a pointer as in `capsule-overlay`(5), such as `/a/b/0`, in which `*` is one \
            step or a part of one, and `**` any number of steps. A leading `/` anchors it at the root; without it, the pointer \
            fits anywhere. The empty pointer is the root itself. For the value of a column, the root is that value. The steps \
            `<plist>` and `<archive>` lead into a property list or a keyed archive in data.
            """),
        .term(
            "`Table`",
            """
            The name of a table, of a Core Data entity, or of the virtual table that the table belongs to. `*` is any number \
            of characters.
            """),
        .term("`Column`", "The name of a column or of a Core Data attribute, in the same way."),
        .term(
            "`Row`",
            """
            A dictionary from columns or attributes to forms. For a modified row, only the key and the changed columns are \
            known, with their new values.
            """),
        .term(
            "`Kind`",
            """
            One or an array of `added`, `deleted`, `modified`, `renamed`, `type`, `order`, which say what happened, and \
            `value`, `row`, `schema`, `text`, `bytes`, `image`, `cookie`, `metadata`, `encoding`, which say what the line is \
            about. One of them has to fit. Lines of the kinds text, bytes, image, metadata and encoding are `modified` too.
            """),
        .term("`From`, `To`", "Forms of the old and the new value. `Value` is short for `To`."),
        .text(
            """
            A match without `Pointer`, `Table`, `Column`, `Row`, `From` and `To` fits the lines of an entry's content and the \
            line of the entry itself. Any other match fits only lines of the content. For a modified row, each column is \
            checked by itself, and the line fits if one column does. For an added or deleted row, a match with `Column`, \
            `From` or `To` also needs `Kind`, because the row is more than its columns. A match with `Table` fits the line of \
            the table itself only if its kinds include `schema`.
            """),
    ]

    private static let forms: [ReferencePage.Block] = [
        .subheading("Forms"),
        .text(
            """
            A string, number, boolean, date, data or array fits an equal value of the same type. A dictionary has one or more \
            of these keys, and all must fit:
            """),
        .term(
            "`Is`",
            """
            `date`, `uuid`, `container-path` (a string with a path into a container on a device or a simulator), `string`, \
            `integer`, `real`, `boolean`, `data`, `null` (SQL's NULL and JSON's null) or `absent` (no value on that side).
            """),
        .term("`Like`", "A pattern for a string, in which `*` also matches `/`."),
        .term("`Min`, `Max`", "Numbers or dates."),
        .term("`Equals`", "The value itself, which can be a dictionary."),
        .term(
            "`Digest`",
            """
            The SHA-256 digest of the text in UTF-8 or of the data, in hexadecimal digits; of an array or a dictionary, a digest \
            that `--expect-write` computes.
            """),
        .text("If a value is cut, only `Is` can fit it."),
    ]
}
