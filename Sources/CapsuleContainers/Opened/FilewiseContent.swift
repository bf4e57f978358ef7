import CapsuleCore

/// The content of any container, read file by file. It is for forms without members that should be read together.
private final class FilewiseContent: PiecewiseContent {
    private let content: any ContentProvider
    private let entries: [TreeEntry]

    init(_ content: any ContentProvider, entries: [TreeEntry]) {
        self.content = content
        self.entries = entries
    }

    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entry, number: number)
    }

    func makeReader() -> any ContentReader {
        FilewiseReader(content, entries)
    }

    func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        offset..<min(size, offset + length)
    }

    func locality(of number: Int) -> UInt64 { UInt64(number) }
}

private final class FilewiseReader: ContentReader {
    private let content: any ContentProvider
    private let entries: [TreeEntry]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)

    init(_ content: any ContentProvider, _ entries: [TreeEntry]) {
        self.content = content
        self.entries = entries
    }

    deinit {
        buffer.deallocate()
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let entry = entries[number]
        let file = try content.open(entry, number: number)
        let before = try file.status()
        func changed() -> CapsuleError {
            CapsuleError("changed while it was read", path: HostPath(entry.path.bytes), hint: "stop the app, then try again")
        }
        guard before.size == entry.size else { throw changed() }
        guard try file.forEachPiece(in: range, by: buffer, body) else { throw changed() }
        if content.isLive, !before.isSameState(as: try file.status()) { throw changed() }
    }
}

extension OpenedContainer {
    /// The content for several threads. It is the container's own if that can be read by several threads, and read file by file
    /// otherwise.
    package var piecewiseContent: any PiecewiseContent {
        content as? any PiecewiseContent ?? FilewiseContent(content, entries: entries)
    }
}
