import CapsuleCore

/// A container's content with some files made up in place of its own.
struct OverlaidContent: PiecewiseContent {
    /// Where a file's bytes come from.
    enum Source: Sendable {
        /// From the container's own file of that number.
        case own(Int)
        case madeUp([UInt8])
        /// From what is opened when it is wanted; it does not change.
        case opened(@Sendable () throws(CapsuleError) -> any OpenContent)
    }

    private let content: any PiecewiseContent
    let sources: [Source]
    private let entries: [TreeEntry]

    /// - Parameters:
    ///   - sources: for each of `entries`, where its bytes come from.
    init(_ content: any PiecewiseContent, sources: [Source], entries: [TreeEntry]) {
        self.content = content
        self.sources = sources
        self.entries = entries
    }

    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        switch sources[number] {
        case .own(let own): try content.open(entry, number: own)
        case .madeUp(let bytes): InMemoryContent(bytes, as: entry)
        case .opened(let open): try open()
        }
    }

    func makeReader() -> any ContentReader { OverlaidReader(content.makeReader(), sources) }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        switch sources[number] {
        case .own(let own): content.stretch(of: own, from: offset, size: size, length: length)
        case .madeUp, .opened: offset..<min(size, offset + length)
        }
    }

    func locality(of number: Int) -> UInt64 {
        switch sources[number] {
        case .own(let own): content.locality(of: own)
        case .madeUp: 0
        case .opened: UInt64(number)
        }
    }
}

private final class OverlaidReader: ContentReader {
    private let reader: any ContentReader
    private let sources: [OverlaidContent.Source]
    /// The file that was opened last: a large one is read piece by piece.
    private var open: (number: Int, content: any OpenContent)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)

    init(_ reader: any ContentReader, _ sources: [OverlaidContent.Source]) {
        self.reader = reader
        self.sources = sources
    }

    deinit { buffer.deallocate() }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        switch sources[number] {
        case .own(let own):
            try reader.forEachPiece(of: own, in: range, body)
        case .opened(let open):
            try read(number, open, range, body)
        case .madeUp(let bytes):
            guard !range.isEmpty else { return }
            let outcome: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(CapsuleError) in
                    let part = UnsafeRawBufferPointer(rebasing: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                    try body(range.lowerBound, UInt64(part.count), part)
                }
            }
            try outcome.get()
        }
    }

    private func read(
        _ number: Int, _ open: () throws(CapsuleError) -> any OpenContent, _ range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let content: any OpenContent
        if let known = self.open, known.number == number { content = known.content } else { content = try open() }
        self.open = (number, content)
        guard try content.forEachPiece(in: range, by: buffer, body) else {
            throw CapsuleError("a file's content is shorter than its recorded size")
        }
    }
}
