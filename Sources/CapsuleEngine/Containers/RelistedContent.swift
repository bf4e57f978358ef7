import CapsuleCore

/// A container's content whose entries have other names or roots than they were listed with.
struct RelistedContent: PiecewiseContent {
    private let content: any PiecewiseContent
    /// The entries as they were listed, by which files are opened.
    private let entries: [TreeEntry]

    init(_ content: any PiecewiseContent, entries: [TreeEntry]) {
        self.content = content
        self.entries = entries
    }

    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entries[number], number: number)
    }

    func makeReader() -> any ContentReader { content.makeReader() }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        content.stretch(of: number, from: offset, size: size, length: length)
    }

    func locality(of number: Int) -> UInt64 { content.locality(of: number) }
}
