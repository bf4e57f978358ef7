/// A subject that `capsule help` explains besides the verbs: a grammar, a format or a report.
///
/// The program contains everything on the pages of section 5, so that nothing has to be installed with it.
struct Guide: Sendable {
    /// The word after `capsule help` that shows the guide.
    let topic: String
    /// The subject in one line, in lower case and without a period.
    let summary: String
    /// Words that users try for this topic.
    let otherWords: [String]
    let sections: [ReferencePage.Section]

    /// All guides, in the order in which help lists them.
    static let all: [Guide] = [.containers, .expectations, .rules, .reports, .overlays, .format]

    /// Returns the guide of that topic.
    static func named(_ topic: some Sequence<UInt8>) -> Guide? {
        all.first { $0.topic.utf8.elementsEqual(topic) }
    }
}

extension ReferencePage.Block {
    /// A paragraph of marked text.
    static func text(_ text: String) -> Self { .paragraph(MarkedText(text)) }

    /// A term and its meaning, both in marked text.
    static func term(_ term: String, _ text: String) -> Self { .entry(term: MarkedText(term), text: MarkedText(text)) }

    /// Lines of a file, printed unchanged.
    static func file(_ text: String) -> Self {
        .typed(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
}

// Section 5 of the manual: file formats. Each guide has a part of the same text.

extension ReferencePage {
    /// All pages of section 5.
    static let filePages: [ReferencePage] = [.capsuleFile, .diffFiles, .overlayFiles]

    /// capsule(5)
    static let capsuleFile = ReferencePage(
        name: "capsule", volume: .files, summary: "the capsule file, format 1",
        sections: Guide.formatSections)

    /// capsule-diff(5)
    static let diffFiles = ReferencePage(
        name: "capsule-diff", volume: .files, summary: "noise rules, expectations and reports of capsule diff",
        sections: [
            Section(
                title: "DESCRIPTION",
                blocks: [
                    .text(
                        """
                        `capsule-diff`(1) compares two containers. \(Guide.whatRulesAre) \(Guide.whatExpectationsAre) Both are \
                        property lists in XML or binary, or JSON, and both select changes with matches. \(Guide.unknownWords)
                        """)
                ] + Guide.matching),
            Guide.rulesGrammar, Guide.expectationsGrammar, Guide.reportsForms,
            Section(
                title: "EXAMPLES", blocks: Guide.rulesExample + Guide.expectationsExample),
            Section(
                title: "SEE ALSO",
                blocks: [
                    .text("`capsule-diff`(1), `capsule`(5), `capsule-overlay`(5)"),
                    .text(
                        """
                        The file *docs/diff.md* in the source describes how contents are compared, and *Samples/rules.json* and \
                        *Samples/expectations* work on the sample containers.
                        """),
                ]),
        ])

    /// capsule-overlay(5)
    static let overlayFiles = ReferencePage(
        name: "capsule-overlay", volume: .files, summary: "overlays for property lists and containers",
        sections: Guide.overlaySections)
}

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
            noise. `--name-only` has the same entries without letters, and only the new path of a renamed one.
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
