import CapsuleCore

/// The content of some of a container's entries, under the numbers that they have among themselves.
struct SelectedContent: PiecewiseContent {
    private let content: any PiecewiseContent
    /// For each entry its number in ``content``.
    private let numbers: [UInt32]

    init(_ content: any PiecewiseContent, numbers: [UInt32]) {
        self.content = content
        self.numbers = numbers
    }

    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entry, number: Int(numbers[number]))
    }

    func makeReader() -> any ContentReader {
        SelectedReader(content.makeReader(), numbers)
    }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        content.stretch(of: Int(numbers[number]), from: offset, size: size, length: length)
    }

    func locality(of number: Int) -> UInt64 {
        content.locality(of: Int(numbers[number]))
    }
}

private final class SelectedReader: ContentReader {
    private let reader: any ContentReader
    private let numbers: [UInt32]

    init(_ reader: any ContentReader, _ numbers: [UInt32]) {
        self.reader = reader
        self.numbers = numbers
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        try reader.forEachPiece(of: Int(numbers[number]), in: range, body)
    }
}
