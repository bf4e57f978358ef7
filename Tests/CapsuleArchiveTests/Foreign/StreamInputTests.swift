import CapsuleCore
import Testing

@testable import CapsuleArchive

/// The bytes of an archive's headers that libarchive has read, for readers that read them again.
@Suite struct StreamInputTests {
    /// Passes pieces of given lengths, in memory that the next piece overwrites.
    private final class Pieces: ByteSource {
        private var rest: ArraySlice<UInt8>
        private let lengths: [Int]
        private var number = 0
        private let buffer = ByteBuffer(capacity: 64)

        init(_ bytes: [UInt8], lengths: [Int]) {
            rest = bytes[...]
            self.lengths = lengths
        }

        func next() throws(CapsuleError) -> UnsafeRawBufferPointer {
            buffer.removeAll()
            buffer.append(Array(rest.prefix(lengths[min(number, lengths.count - 1)])))
            number += 1
            rest = rest.dropFirst(buffer.count)
            return buffer.bytes
        }
    }

    private static let bytes = (0..<100).map { UInt8($0) }

    private static func kept(_ input: StreamInput, from position: UInt64) throws(CapsuleError) -> [UInt8]? {
        try input.withKept(from: position) { Array($0) }
    }

    @Test func bytesAreKeptFromTheLastPieceOn() throws {
        let input = StreamInput(Pieces(Self.bytes, lengths: [10]))
        for _ in 0..<3 { _ = try input.read() }
        input.beginKeeping()
        for _ in 0..<2 { _ = try input.read() }
        #expect(try Self.kept(input, from: 25) == Array(25..<50))
        #expect(input.keptCount == 20)
        // Reading again gives the same bytes.
        #expect(try Self.kept(input, from: 25) == Array(25..<50))
    }

    @Test func thePieceThatIsStillThereNeedsNoCopy() throws {
        let input = StreamInput(Pieces(Self.bytes, lengths: [40]))
        _ = try input.read()
        input.beginKeeping()
        #expect(input.keptCount == 0)
        #expect(try Self.kept(input, from: 38) == [38, 39])
    }

    @Test(arguments: [0, 19] as [UInt64])
    func bytesBeforeWereNotKept(position: UInt64) throws {
        let input = StreamInput(Pieces(Self.bytes, lengths: [10]))
        for _ in 0..<3 { _ = try input.read() }
        input.beginKeeping()
        _ = try input.read()
        #expect(try Self.kept(input, from: position) == nil)
        #expect(try Self.kept(input, from: 41) == nil)
    }

    /// Otherwise the bytes after an archive would fill the memory.
    @Test func nothingIsKeptAfterTheEnd() throws {
        let input = StreamInput(Pieces(Self.bytes, lengths: [10]))
        input.beginKeeping()
        for _ in 0..<3 { _ = try input.read() }
        #expect(input.keptCount == 20)
        input.stopKeeping()
        for _ in 0..<3 { _ = try input.read() }
        #expect(input.keptCount == 0)
    }
}
