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

    /// The grammar of expectations, and how an expectation is checked.
    static let expectationsGrammar = ReferencePage.Section(
        title: "EXPECTATIONS",
        blocks: [
            .term("`CapsuleExpectation`", "1"),
            .term("`Must`, `May`, `MustNot`", "Arrays of matches, each with an optional `Count` and `Note`."),
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
                value that is hidden or cut. `--full` compares without a time limit and keeps values in full. \
                `--show-secrets` includes hidden values.
                """),
            .text(
                """
                `capsule diff --expect-write` writes an expectation of every difference that is not noise: all of them under \
                `Must`, with `Other` = fail. Dates, UUIDs, paths of containers, data and times in seconds become `Is`. Values \
                that are long or secret are left out. The diff that it was written from passes it, no matter how little of \
                that diff is shown. If the comparison is not complete, no expectation is written. `--expect-update` brings an \
                existing file up to date, keeps `May`, `MustNot`, notes and comments, and prints each clause that it changes or \
                removes. It adds nothing if `Other` is `allow`.
                """),
            .text(
                """
                A clause whose path, table, column or pointer exists on neither side can never match. It is a warning, and with \
                `--strict-patterns` an error. If `Kind` includes `added`, the path or the last key of the pointer may be one that \
                does not exist yet; if `Kind` includes `schema`, the same applies to the table. Pointers are looked for in \
                property lists and JSON, also in compressed ones, and not in databases.
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
