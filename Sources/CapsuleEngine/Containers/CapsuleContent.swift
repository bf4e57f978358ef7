import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Gives the files of one version of a capsule.
///
/// What is opened compares itself with its digest (``StoredContent``). A reader does not: whoever goes through files with one
/// digests them anyway and compares.
final class CapsuleContent: PiecewiseContent {
    private let capsule: CapsuleReader
    private let extents: ExtentTable
    private let readers = ReaderPool()
    private let compared = NumberSet()

    var isLive: Bool { false }

    init(_ capsule: CapsuleReader, _ extents: ExtentTable) {
        self.capsule = capsule
        self.extents = extents
    }

    /// Where a file's bytes are.
    func extents(of number: Int) -> FileExtents { extents.extents(of: number) }

    func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
        StoredContent(self, entry: entry, number: number)
    }

    func makeReader() -> any ContentReader {
        ExtentReader(extents, MemberReader(file: capsule.file, codec: capsule.codec))
    }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        var end = offset
        for extent in extents(of: number).from(offset) where end - offset < length { end = extent.range.upperBound }
        return offset..<end
    }

    func locality(of number: Int) -> UInt64 {
        extents(of: number).first?.member?.offset ?? 0
    }

    /// Lets a reader be used for one call, whichever thread makes it.
    func withReader<Outcome>(
        _ body: (any ContentReader) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        let reader = readers.take() ?? makeReader()
        defer { readers.give(reader) }
        return try body(reader)
    }

    /// Whether a file was found to have its digest: it need not be compared each time that it is opened.
    func isCompared(_ number: Int) -> Bool { compared.contains(number) }

    /// Notes that a file has its digest.
    func noteCompared(_ number: Int) { compared.insert(number) }
}

/// Readers that are not in use.
private final class ReaderPool: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var free: [any ContentReader] = []

    func take() -> (any ContentReader)? { monitor.locked { free.popLast() } }

    func give(_ reader: any ContentReader) { monitor.locked { free.append(reader) } }
}

/// Numbers that several threads add.
private final class NumberSet: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var numbers: Set<Int> = []

    func contains(_ number: Int) -> Bool { monitor.locked { numbers.contains(number) } }

    func insert(_ number: Int) { monitor.locked { _ = numbers.insert(number) } }
}
