/// A subject that `capsule help` explains besides the verbs: a grammar, a format or a report.
///
/// The program has all that a page of section 5 says, so that nothing has to be installed beside it.
struct Guide: Sendable {
    /// The word after `capsule help` that shows the guide.
    let topic: String
    /// The subject in one line, in lower case and without a period.
    let summary: String
    /// Words that users try for this topic.
    let otherWords: [String]
    let sections: [ReferencePage.Section]

    /// In the order in which help lists them.
    static let all: [Guide] = [.expectations, .rules, .reports, .overlays, .format]

    /// The guide of that topic.
    static func named(_ topic: some Sequence<UInt8>) -> Guide? {
        all.first { $0.topic.utf8.elementsEqual(topic) }
    }
}

extension ReferencePage.Block {
    /// A paragraph of marked text.
    static func text(_ text: String) -> Self { .paragraph(MarkedText(text)) }

    /// A term and what it means, both marked text.
    static func term(_ term: String, _ text: String) -> Self { .entry(term: MarkedText(term), text: MarkedText(text)) }

    /// Lines of a file, set as they are.
    static func file(_ text: String) -> Self {
        .typed(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
}
