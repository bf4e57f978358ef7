package import CapsuleCore

/// Edits of a container in memory: entries are added, replaced or removed, and all others stay unchanged.
package struct ContainerEdits {
    /// A path in one root of the container.
    package struct EntryPath: Hashable, Sendable {
        package let root: TreeRoot
        package let path: RelativePath

        package init(root: TreeRoot, path: RelativePath) {
            self.root = root
            self.path = path
        }
    }

    /// An entry and the source of its bytes.
    package struct Item: Sendable {
        package var entry: TreeEntry
        package var source: PatchedContent.Source

        package init(entry: TreeEntry, source: PatchedContent.Source) {
            self.entry = entry
            self.source = source
        }

        /// Opens the file.
        ///
        /// - Parameter base: the container that was edited.
        package func open(in base: OpenedContainer) throws(CapsuleError) -> any OpenContent {
            switch source {
            case .own(let number): try base.content.open(base.entries[number], number: number)
            case .madeUp(let bytes): InMemoryContent(bytes, as: entry)
            case .opened(let open): try open()
            }
        }
    }

    /// The container before the edits. Its digests may be completed later.
    package var base: OpenedContainer
    private var edited: [EntryPath: Item?] = [:]

    package init(_ base: OpenedContainer) { self.base = base }

    /// True if nothing was edited.
    var isEmpty: Bool { edited.isEmpty }

    /// The item that is now at a place; nil for none. Setting nil removes the entry.
    package subscript(place: EntryPath) -> Item? {
        get {
            if let item = edited[place] { return item }
            guard let number = base.entries.place(of: place.path, in: place.root) else { return nil }
            return Item(entry: base.entries[number], source: .own(number))
        }
        set { edited[place] = .some(newValue) }
    }

    /// Returns the container with all edits applied.
    package func finished() -> OpenedContainer {
        if edited.isEmpty { return base }
        var items: [Item] = []
        items.reserveCapacity(base.entries.count + edited.count)
        var own: Set<EntryPath> = []
        for (number, entry) in base.entries.enumerated() {
            let place = EntryPath(root: entry.root, path: entry.path)
            guard let change = edited[place] else {
                items.append(Item(entry: entry, source: .own(number)))
                continue
            }
            own.insert(place)
            if let change { items.append(change) }
        }
        for (place, item) in edited where !own.contains(place) {
            if let item { items.append(item) }
        }
        items.sort { TreeEntry.isOrdered($0.entry, before: $1.entry) }
        var result = base
        result.entries = items.map(\.entry)
        result.content = PatchedContent(
            base.piecewiseContent, sources: items.map(\.source), entries: result.entries)
        return result
    }
}

/// A container's content in which some files have other bytes than the container's own.
package struct PatchedContent: PiecewiseContent {
    /// The source of a file's bytes.
    package enum Source: Sendable {
        /// The container's own file with this number.
        case own(Int)
        case madeUp([UInt8])
        /// A content that is opened when it is needed. It does not change.
        case opened(@Sendable () throws(CapsuleError) -> any OpenContent)
    }

    private let content: any PiecewiseContent
    let sources: [Source]
    private let entries: [TreeEntry]

    /// - Parameters:
    ///   - sources: the source of the bytes of each of `entries`.
    package init(_ content: any PiecewiseContent, sources: [Source], entries: [TreeEntry]) {
        self.content = content
        self.sources = sources
        self.entries = entries
    }

    package var isLive: Bool { content.isLive }

    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        switch sources[number] {
        case .own(let own): try content.open(entry, number: own)
        case .madeUp(let bytes): InMemoryContent(bytes, as: entry)
        case .opened(let open): try open()
        }
    }

    package func makeReader() -> any ContentReader { PatchedReader(content.makeReader(), sources) }

    package func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        switch sources[number] {
        case .own(let own): content.readRange(of: own, from: offset, size: size, length: length)
        case .madeUp, .opened: offset..<min(size, offset + length)
        }
    }

    package func locality(of number: Int) -> UInt64 {
        switch sources[number] {
        case .own(let own): content.locality(of: own)
        case .madeUp: 0
        case .opened: UInt64(number)
        }
    }
}

private final class PatchedReader: ContentReader {
    private let reader: any ContentReader
    private let sources: [PatchedContent.Source]
    /// The file that was opened last. It stays open because a large file is read piece by piece.
    private var open: (number: Int, content: any OpenContent)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)

    init(_ reader: any ContentReader, _ sources: [PatchedContent.Source]) {
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

/// A content with the size, mode and time that an entry records, instead of those of the file that the bytes come from. So an
/// overlay is the same whether it is made from a live container or from a stored one.
package final class RecordedContent: OpenContent {
    private let content: any OpenContent
    private let entry: TreeEntry

    package init(_ content: any OpenContent, as entry: TreeEntry) {
        self.content = content
        self.entry = entry
    }

    package func status() -> ContentStatus {
        ContentStatus(size: entry.size, mode: entry.mode, modified: entry.modified, live: nil)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < entry.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), entry.size - offset))
        return try content.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    package var uncompared: any OpenContent { RecordedContent(content.uncompared, as: entry) }

    package func compare() throws(CapsuleError) { try content.compare() }

    package func nextData(from offset: UInt64) -> UInt64 { min(max(offset, entry.size), content.nextData(from: offset)) }
}
