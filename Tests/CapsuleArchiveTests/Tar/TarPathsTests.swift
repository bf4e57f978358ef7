import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleArchive

@Suite struct TarPathsTests {
    private static func entry(_ path: String, _ root: TreeRoot, _ kind: EntryKind = .file) throws -> TreeEntry {
        TreeEntry(
            path: path.isEmpty ? .root : try RelativePath(validating: Array(path.utf8)), root: root, kind: kind,
            mode: FileMode(0o644),
            modified: .epoch)
    }

    private static func stream(_ entries: [TreeEntry], _ layout: ContainerLayout) -> [String] {
        let names = TarPaths(name: Array("N".utf8), layout: layout)
        let sorted = entries.sorted(by: TreeEntry.isOrdered)
        return names.order(of: sorted).map { String(decoding: names.path(of: sorted[Int($0)]), as: UTF8.self) }
    }

    /// The top directory comes first, even before names that start with a byte below the slash.
    @Test func aDirectory() throws {
        let entries = try [
            Self.entry("", .wrapper, .directory), Self.entry("!", .tree), Self.entry(" ", .tree, .directory),
            Self.entry(" /x", .tree),
            Self.entry("\u{1}", .tree), Self.entry("a", .tree, .directory), Self.entry("a-b", .tree), Self.entry("a/b", .tree),
            Self.entry("a0", .tree),
        ]
        #expect(Self.stream(entries, .directory) == ["N/", "N/\u{1}", "N/ /", "N/ /x", "N/!", "N/a-b", "N/a/", "N/a/b", "N/a0"])
    }

    @Test func aBundle() throws {
        let group = try #require(TreeRoot.group(0))
        let entries = try [
            Self.entry("", .wrapper, .directory), Self.entry("AppData", .wrapper, .directory), Self.entry("!", .wrapper),
            Self.entry("AppDataInfo.plist", .wrapper), Self.entry("AppData-", .wrapper),
            Self.entry("AppGroups", .wrapper, .directory),
            Self.entry("AppGroups/g", .wrapper, .directory), Self.entry("AppGroups/g/ ", group), Self.entry(" ", .tree),
            Self.entry("Library", .tree, .directory),
            Self.entry("Library/x", .tree), Self.entry(".id", .tree, .identity),
        ]
        #expect(
            Self.stream(entries, .container) == [
                "N.xcappdata/", "N.xcappdata/!", "N.xcappdata/AppData-", "N.xcappdata/AppData/", "N.xcappdata/AppData/ ",
                "N.xcappdata/AppData/.id",
                "N.xcappdata/AppData/Library/", "N.xcappdata/AppData/Library/x", "N.xcappdata/AppDataInfo.plist",
                "N.xcappdata/AppGroups/",
                "N.xcappdata/AppGroups/g/", "N.xcappdata/AppGroups/g/ ",
            ])
    }
}

@Suite struct TarOrderTests {
    /// The order as it is defined: memcmp of the paths, directories with a closing `/`, the shorter first.
    private static func oracle(_ left: [UInt8], _ leftIsDirectory: Bool, _ right: [UInt8], _ rightIsDirectory: Bool) -> Bool {
        let slash = UInt8(ascii: "/")
        return (leftIsDirectory ? left + [slash] : left).lexicographicallyPrecedes(rightIsDirectory ? right + [slash] : right)
    }

    @Test(arguments: SeededGenerator.seeds)
    func agreesWithTheOracle(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("/.-0a".utf8) + [1, 0xFF]
        // No path ends with a slash.
        func path() -> [UInt8] {
            (0..<random.number(0...3)).map { _ in random.pick(alphabet) } + [random.pick(alphabet.dropFirst() + [])]
        }
        for _ in 0..<20_000 {
            let left = path()
            let right = path()
            let kinds = (random.isLucky(oneIn: 2), random.isLucky(oneIn: 2))
            let expected = Self.oracle(left, kinds.0, right, kinds.1)
            #expect(TarOrder.isOrdered(left, kinds.0, before: right, kinds.1) == expected, "\(left) \(right) \(kinds)")
        }
    }

    @Test func aDirectoryStaysWithItsEntries() throws {
        let wanted = ["a-b", "a.b", "a/", "a/x", "a0", "b"]
        let items = wanted.map { text in
            (bytes: Array(text.hasSuffix("/") ? String(text.dropLast()).utf8 : text.utf8), isDirectory: text.hasSuffix("/"))
        }
        let sorted = items.shuffled().sorted { TarOrder.isOrdered($0.bytes, $0.isDirectory, before: $1.bytes, $1.isDirectory) }
        #expect(sorted.map { String(decoding: $0.bytes, as: UTF8.self) + ($0.isDirectory ? "/" : "") } == wanted)
    }
}

@Suite struct SparseMapTests {
    private static let block = 65_536

    private static func map(_ parts: [(Int, UInt8)]) -> SparseMap {
        raw(parts.flatMap { [UInt8](repeating: $0.1, count: $0.0) }) { SparseMap(of: $0) }
    }

    @Test(
        arguments: [
            ([], [], []), ([(65_535, 0)], [], [0..<65_535]), ([(65_536, 0)], [0..<65_536], []),
            ([(65_537, 0)], [0..<65_536], [65_536..<65_537]),
            ([(131_072, 0)], [0..<131_072], []), ([(1, 1), (200_000, 0)], [65_536..<196_608], [0..<65_536, 196_608..<200_001]),
            ([(65_536, 0), (1, 1)], [0..<65_536], [65_536..<65_537]),
            ([(65_536, 1), (65_536, 0), (65_536, 1)], [65_536..<131_072], [0..<65_536, 131_072..<196_608]),
            ([(32_768, 1), (65_536, 0), (32_768, 1)], [], [0..<131_072]),
        ] as [([(Int, UInt8)], [Range<UInt64>], [Range<UInt64>])])
    func holesAreWholeAlignedBlocks(parts: [(Int, UInt8)], holes: [Range<UInt64>], data: [Range<UInt64>]) {
        let map = Self.map(parts)
        #expect(map.holes == holes)
        #expect(map.data == data)
        #expect(map.storedLength == data.reduce(0) { $0 + UInt64($1.count) })
        #expect(map.size == UInt64(parts.reduce(0) { $0 + $1.0 }))
    }

    @Test func zerosAreZerosAtAnyLengthAndPlace() {
        for length in 0..<40 {
            let zeros = [UInt8](repeating: 0, count: length)
            #expect(raw(zeros) { SparseMap.isZeros($0) })
            for place in 0..<length {
                var bytes = zeros
                bytes[place] = 1
                #expect(!raw(bytes) { SparseMap.isZeros($0) }, "byte \(place) of \(length)")
            }
        }
    }

    @Test func holesThatTouchBecomeOne() {
        var map = SparseMap(size: 400_000)
        map.addHole(0..<65_536)
        map.addHole(65_536..<131_072)
        map.addHole(131_072..<131_072)
        map.addHole(196_608..<262_144)
        #expect(map.holes == [0..<131_072, 196_608..<262_144])
    }
}
