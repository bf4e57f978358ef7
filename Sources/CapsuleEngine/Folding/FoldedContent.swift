import CapsuleCore

/// A container's content without some of its files, and with databases that were folded in place of its own.
struct FoldedContent: ContentProvider {
    private let content: any ContentProvider
    /// For each entry its number in ``content``.
    private let numbers: [UInt32]
    /// By their numbers in ``content``.
    private let folded: [UInt32: FoldedFile]

    init(_ content: any ContentProvider, numbers: [UInt32], folded: [UInt32: FoldedFile]) {
        self.content = content
        self.numbers = numbers
        self.folded = folded
    }

    // Those of a live container that were not folded can change as ever.
    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if let file = folded[numbers[number]] { return file }
        return try content.open(entry, number: Int(numbers[number]))
    }

    func makeOpener() -> any ContentOpener { FoldedOpener(content.makeOpener(), numbers, folded) }
}

private final class FoldedOpener: ContentOpener {
    private let opener: any ContentOpener
    private let numbers: [UInt32]
    private let folded: [UInt32: FoldedFile]

    init(_ opener: any ContentOpener, _ numbers: [UInt32], _ folded: [UInt32: FoldedFile]) {
        self.opener = opener
        self.numbers = numbers
        self.folded = folded
    }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if let file = folded[numbers[number]] { return file }
        return try opener.open(entry, number: Int(numbers[number]))
    }
}
