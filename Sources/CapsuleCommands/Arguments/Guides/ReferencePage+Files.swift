// Section 5 of the manual: what files hold. The guides have the same text, each a part of it.

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
