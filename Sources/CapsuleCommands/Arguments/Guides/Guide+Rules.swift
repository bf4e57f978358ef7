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
