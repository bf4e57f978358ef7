import Testing

@testable import CapsuleCommands

@Suite struct MarkedTextTests {
    @Test func marksAreRead() {
        #expect(
            MarkedText("take `**` or *FILE*.").spans == [
                MarkedText.Span(text: "take ", style: .plain), MarkedText.Span(text: "**", style: .literal),
                MarkedText.Span(text: " or ", style: .plain), MarkedText.Span(text: "FILE", style: .placeholder),
                MarkedText.Span(text: ".", style: .plain),
            ])
        #expect(MarkedText("").spans == [])
        #expect(MarkedText(literally: "`*`").plain == "`*`")
    }

    @Test func wordsKeepTheirStyle() {
        let words = MarkedText("a  `b c`d").words
        #expect(words.map(\.plain) == ["a", "b", "cd"])
        #expect(words.last?.spans.map(\.style) == [.literal, .plain])
    }

    @Test func sentencesEndAtPlainPeriods() {
        #expect(MarkedText("One `a. b` two. Three *X*. Four").sentences.map(\.plain) == ["One a. b two.", "Three X.", "Four"])
    }

    @Test func symbolsAreQuoted() {
        #expect(MarkedText("`-` and `~1`").quotingSymbols.plain == "'-' and ~1")
    }
}
