import CapsuleCore
import CapsuleSystem
import Testing

@testable import CapsuleArchive

/// The entries that make up a tree, and those that are refused.
@Suite struct ForeignListingTests {
    private static func entry(
        _ name: String, _ kind: ForeignEntry.Kind = .file, target: String = "", size: UInt64 = 0
    ) -> ForeignEntry {
        ForeignEntry(
            name: Array(name.utf8), kind: kind, mode: FileMode(0o640), modified: Timestamp(seconds: 5), size: size,
            target: Array(target.utf8))
    }

    private func list(_ entries: [ForeignEntry]) throws(CapsuleError) -> ForeignListing {
        var listing = ForeignListing(archiveLength: 1_000)
        for (number, entry) in entries.enumerated() { try listing.add(entry, file: number) }
        return listing
    }

    @Test(
        arguments: [
            ("a", "a"), ("./a", "a"), (".//./a/./b", "a/b"), ("a//b", "a/b"), ("a/", "a"), ("...", "..."), ("a/..b", "a/..b"),
            ("a\\..\\b", "a\\..\\b"), ("/a", "a"), ("//a/b", "a/b"),
        ])
    func spellings(_ name: String, _ path: String) throws {
        #expect(try list([Self.entry(name)]).entries.contains { $0.path.description == path && $0.kind == .file })
    }

    @Test(
        arguments: [
            "", "/", "..", "/..", "/../a", "/a/../b", "../a", "a/..", "a/../b", "./..", "a\0b",
            String(repeating: "c", count: 1_024),
            String(repeating: "d/", count: 2_100) + "e",
        ])
    func namesThatNoTreeHolds(_ name: String) throws {
        let error = #expect(throws: CapsuleError.self) { try list([Self.entry(name)]) }
        #expect(error?.path?.bytes == Array(name.utf8))
    }

    static let collisions: [[ForeignEntry]] = [
        [entry("a"), entry("a")], [entry("a"), entry("./a")], [entry("a", .link, target: "b"), entry("a")],
        [entry("a", .link, target: "b"), entry("a/x")], [entry("a"), entry("a/x")], [entry("a/x"), entry("a")],
        [entry("a/x"), entry("a", .link, target: "b")], [entry("a", .directory), entry("a", .link, target: "b")],
        [entry("a", .link, target: "b"), entry("a", .directory)], [entry("a", .special(.pipe)), entry("a/x")],
        [entry("a", .special(.pipe)), entry("a")], [entry("a/b"), entry("a/b/c/d")], [entry("."), entry("a")],
        [entry("a", .link, target: "")], [entry("a", .link, target: String(repeating: "t", count: 4_097))],
        [entry("a", .hardLink, target: "b")], [entry("a", .hardLink, target: "a")], [entry("b", .hardLink, target: "../a")],
        [entry("a"), entry("/a")], [entry("a"), entry("b", .hardLink, target: "/../a")],
        [entry("d", .directory), entry("b", .hardLink, target: "d")],
        [entry("d/x"), entry("b", .hardLink, target: "d")], [entry("a", .hardLink, target: "b"), entry("b")],
        [entry("l", .link, target: "d"), entry("b", .hardLink, target: "l/x")], [entry("a", .file, size: 1 << 45)],
        [entry("a", .file, size: 20 << 30), entry("b", .file, size: 20 << 30)],
        [entry("a", .file, size: 20 << 30), entry("b", .hardLink, target: "a")],
        [entry("a", .file, size: UInt64.max), entry("b", .file, size: 2)],
    ]

    @Test(arguments: collisions)
    func entriesThatNoTreeHolds(_ entries: [ForeignEntry]) throws {
        let error = #expect(throws: CapsuleError.self) { try list(entries) }
        #expect(entries.contains { $0.name == error?.path?.bytes }, "\(String(describing: error))")
    }

    @Test func missingDirectoriesAreMadeUp() throws {
        let listing = try list([Self.entry("a/b/c"), Self.entry("a", .directory)])
        let found = listing.entries.map { "\($0.path) \($0.kind.word) \($0.mode.octal) \($0.modified.seconds)" }.sorted()
        #expect(found == ["a directory 0640 5", "a/b directory 0755 5", "a/b/c file 0640 5"])
        #expect(listing.top?.mode == FileMode(0o755))
    }

    @Test func hardLinksShareTheirContent() throws {
        let listing = try list([
            Self.entry("a", .file, size: 3), Self.entry("b", .hardLink, target: "./a"), Self.entry("l", .link, target: "x"),
            Self.entry("c", .hardLink, target: "b"), Self.entry("k", .hardLink, target: "l"),
        ])
        #expect(listing.entries.map(\.path.description) == ["a", "b", "l", "c", "k"])
        #expect(listing.files == [0, 0, -1, 0, -1])
        #expect(listing.hardLinks.map(\.entry) == [0, 1, 3])
        #expect(listing.entries.map(\.size) == [3, 3, 0, 3, 0])
        #expect(listing.entries[4].target == Array("x".utf8))
    }
}

/// Contents that are written to the private file are read back, with their holes.
@Suite struct ForeignContentTests {
    /// Pseudorandom numbers, which are the same on every run with the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(arguments: 1...4)
    func randomPieces(_ seed: UInt64) throws {
        var generator = Generator(state: seed)
        var writer = try ForeignContentWriter()
        var files: [[UInt8]] = []
        for _ in 0..<4 {
            writer.beginFile()
            var file: [UInt8] = []
            while file.count < 200_000, Int.random(in: 0..<9, using: &generator) > 0 {
                file += [UInt8](repeating: 0, count: Int.random(in: 0..<100_000, using: &generator))
                let isZeros = Bool.random(using: &generator)
                let count = Int.random(in: 1..<80_000, using: &generator)
                let piece = (0..<count).map { isZeros || $0 % 3 == 0 ? 0 : UInt8(truncatingIfNeeded: $0 ^ file.count) }
                try piece.withRawBytes { bytes throws(CapsuleError) in try writer.append(bytes, at: UInt64(file.count)) }
                file += piece
            }
            files.append(file)
        }
        #expect(writer.files == files.count)
        let content = try writer.finish()
        for (number, file) in files.enumerated() {
            for _ in 0..<8 where !file.isEmpty {
                let start = Int.random(in: 0..<file.count, using: &generator)
                let count = Int.random(in: 0...file.count - start, using: &generator)
                let buffer = ByteBuffer(capacity: count)
                try buffer.append(capacity: count) { room in
                    try content.read(number, at: UInt64(start), into: room)
                    return count
                }
                #expect(
                    buffer.bytes.elementsEqual(file[start..<start + count]), "seed \(seed), file \(number), \(start), \(count)")
                let data = content.nextData(of: number, from: UInt64(start)).map(Int.init) ?? file.count
                #expect(file[start..<data].allSatisfy { $0 == 0 })
            }
        }
    }
}

/// Capsule's own gzip reader.
@Suite struct InflatedSourceTests {
    private final class Pieces: ByteSource {
        private let bytes: [UInt8]
        private let length: Int
        private var at = 0
        private let buffer = ByteBuffer(capacity: 64)

        init(_ bytes: [UInt8], length: Int) {
            self.bytes = bytes
            self.length = length
        }

        func next() -> UnsafeRawBufferPointer {
            buffer.removeAll()
            let end = min(bytes.count, at + length)
            buffer.append(Array(bytes[at..<end]))
            at = end
            return buffer.bytes
        }
    }

    private static func member(_ text: String) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 256)
        Array(text.utf8).withUnsafeBytes { bytes in
            GzipMember.appendData(bytes, framing: .plain, to: buffer) { Deflater(level: 6).append(bytes, to: $0) }
        }
        return Array(buffer.bytes)
    }

    /// Returns all inflated text, and the error at its end.
    private func inflate(_ bytes: [UInt8], pieces: Int) -> (text: String, error: CapsuleError?) {
        let source = InflatedSource(Pieces(bytes, length: pieces), path: HostPath("x"))
        var text: [UInt8] = []
        do throws(CapsuleError) {
            while true {
                let next = try source.next()
                if next.isEmpty { return (String(decoding: text, as: UTF8.self), nil) }
                text += Array(next)
            }
        } catch {
            return (String(decoding: text, as: UTF8.self), error)
        }
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func members(_ pieces: Int) {
        let two = Self.member("hello ") + Self.member("") + Self.member("world")
        #expect(inflate(two, pieces: pieces) == ("hello world", nil))
        #expect(inflate(two + [0, 0, 0], pieces: pieces) == ("hello world", nil))
        let garbage = inflate(two + Array("garbage".utf8), pieces: pieces)
        #expect(garbage.text == "hello world")
        #expect(garbage.error?.code == .trailing)
    }

    @Test func cutAndFlipped() {
        let one = Self.member("hello world, hello world")
        for length in 1..<one.count {
            #expect(inflate(Array(one[..<length]), pieces: 5).error?.code == .damaged, "cut at \(length)")
        }
        for at in one.indices where !(4...9).contains(at) {
            var flipped = one
            flipped[at] ^= 1
            let found = inflate(flipped, pieces: 64)
            #expect(found.error != nil || found.text == "hello world, hello world", "byte \(at)")
        }
    }
}

private func == (left: (text: String, error: CapsuleError?), right: (String, CapsuleError?)) -> Bool {
    left.text == right.0 && (left.error == nil) == (right.1 == nil)
}

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
