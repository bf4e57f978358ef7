extension Guide {
    /// `capsule help reports`
    static let reports = Guide(
        topic: "reports", summary: "what diff --name-status and diff --json print",
        otherWords: ["json", "letters", "name-status", "porcelain", "report"],
        sections: [
            reportsForms,
            ReferencePage.Section(
                title: "SEE ALSO", blocks: [.text("`capsule help diff`, `capsule-diff`(1), `capsule-diff`(5)")]),
        ])

    /// The forms of a report that scripts read.
    static let reportsForms = ReferencePage.Section(title: "REPORTS", blocks: nameStatus + json + page)

    private static let nameStatus: [ReferencePage.Block] = [
        .subheading("--name-status"),
        .text("A letter, a tab, the path and a line feed for each entry. The letter is the first of these that applies:"),
        .term("`T`", "different type;"),
        .term("`R100`", "renamed: the old path, a tab, the new path;"),
        .term("`A`, `D`", "added, deleted;"),
        .term("`M`", "different content, or a link with a different target;"),
        .term("`E`", "the same value in a different encoding;"),
        .term("`P`", "different mode or attributes, or with `--times` a different time."),
        .text(
            """
            With `--all` a lower-case letter marks noise. A path with a control character, a quotation mark, a backslash or \
            bytes that are not UTF-8 is in quotation marks, with C's escapes. With `-z` nothing is quoted, and the letter and \
            the paths each end with NUL. Only property lists up to 1 MiB are compared by value, unless `--rules`, `--expect` \
            or a report needs more. Any other changed file is shown as `M`, and only its path decides whether it is \
            noise.
            """),
    ]

    private static let json: [ReferencePage.Block] = [
        .subheading("--json"),
        .text(
            """
            One object per line: a header, each entry followed by the changes of its content, the noise by class, the findings \
            of an expectation with the clause, the place, what was expected and what was seen, and an end. An error is the \
            last line.
            """),
        .file(
            """
            {"kind":"added","path":"Documents/cat.gif",
             "new":{"type":"file","mode":"0644",...}}
            {"kind":"value","path":"Library/Preferences/com.x.plist",
             "op":"modified","pointer":"/launches","old":7,"new":8}
            {"kind":"noise","class":"caches","changes":9}
            {"kind":"end","status":1,"changes":14,"noise":9,"complete":true}
            """),
        .text("(Each object is one line; the first two are broken here.) *docs/json.md* in the source describes all objects."),
    ]

    private static let page: [ReferencePage.Block] = [
        .subheading("--html"),
        .text(
            """
            One page for a browser that loads nothing else. Its head has the two sides with their versions, labels, dates and \
            app, and the command, in which files outside the containers have no directories. If the browser runs scripts, the \
            page has a search. It shows only the rows and lines that contain all words, together with their path and their \
            table, and counts them. Keys:
            """),
        .term("`/`", "search;"),
        .term("`Enter`, `Shift-Enter`", "in the search: next match, previous match;"),
        .term("`Esc`", "clear the search;"),
        .term("`n`, `j`", "next entry;"),
        .term("`p`, `k`", "previous entry;"),
        .term("`?`", "list the keys."),
    ]
}
