import CapsuleCore
import CapsuleHashing
import TestSupport
import Testing

@testable import CapsuleArchive

/// Generated entries with the places of their bytes.
struct GeneratedIndex {
    var entries: [TreeEntry] = []
    var ranges: [Range<UInt32>] = []
    var extents: [Extent] = []
    var members: [MemberReference] = []

    init(seed: UInt64, count: Int) throws {
        var random = SeededGenerator(seed: seed)
        for number in 0..<5 {
            members.append(MemberReference(offset: random.next() >> UInt64(8 * number), stored: 70_000, raw: 1 << 20))
        }
        var paths: Set<[UInt8]> = []
        while paths.count < count {
            let components = (0..<random.number(1...3)).map { _ in
                (0..<random.number(1...6)).map { _ in random.pick([0x61, 0x62, 0xC3, 0xFF, 1, 0x20] as [UInt8]) }
            }
            paths.insert(Array(components.joined(separator: [0x2F])))
        }
        entries = try paths.map { bytes in
            let kind = random.pick([EntryKind.file, .file, .directory, .link, .identity])
            var entry = TreeEntry(
                path: try RelativePath(validating: bytes), root: TreeRoot(rawValue: UInt8(random.number(0...3))), kind: kind,
                mode: FileMode(random.next()),
                modified: Timestamp(
                    seconds: Int64(truncatingIfNeeded: random.next()) >> Int64(random.number(0...50)),
                    nanoseconds: UInt32(random.number(0...999_999_999)))
                    ?? .epoch)
            if kind == .link { entry.target = random.bytes(random.number(1...40)).map { max(1, $0) } }
            if kind.hasContent { entry.digest = SHA256Hasher.digest(of: random.bytes(8)) }
            entry.attributes = (0..<random.number(0...2)).map {
                ExtendedAttribute(name: [UInt8($0 + 1)], value: random.bytes(random.number(0...9)))
            }
            return entry
        }.sorted(by: TreeEntry.isOrdered)
        for index in entries.indices {
            let start = UInt32(extents.count)
            if entries[index].kind.hasContent {
                for _ in 0..<random.number(0...4) {
                    let isAfterZeros = extents.count > start && extents.last?.isZeros == true
                    let extent =
                        random.isLucky(oneIn: 3) && !isAfterZeros
                        ? Extent(member: 0, inner: 0, length: UInt64(random.number(1 << 16...1 << 27)))
                        : Extent(
                            member: UInt32(random.number(1...5)), inner: UInt32(random.number(0...1_000)),
                            length: UInt64(random.number(1...1_000_000)))
                    extents.append(extent)
                    entries[index].size += extent.length
                }
            }
            ranges.append(start..<UInt32(extents.count))
        }
    }

    var writer: IndexWriter {
        IndexWriter(entries: entries) { number in
            extents[Int(ranges[number].lowerBound)..<Int(ranges[number].upperBound)].map { extent in
                StoredExtent(
                    member: extent.isZeros ? nil : members[Int(extent.member) - 1], inner: extent.inner, length: extent.length)
            }
        }
    }

    /// All entries in one block.
    var block: IndexBlock {
        var block = IndexBlock()
        block.members = members
        for (number, entry) in entries.enumerated() {
            block.append(entry, extents: extents[Int(ranges[number].lowerBound)..<Int(ranges[number].upperBound)])
        }
        return block
    }
}

@Suite struct IndexBlockTests {
    static func decode(_ bytes: [UInt8], _ count: Int) throws(IndexBlock.Problem) -> IndexBlock {
        try bytes.withRawBytes { (bytes) throws(IndexBlock.Problem) in try IndexBlock(decoding: bytes, count: count) }
    }

    @Test(arguments: SeededGenerator.seeds)
    func comesBack(seed: UInt64) throws {
        for count in [1, 2, 30, 300] {
            let block = try GeneratedIndex(seed: seed &+ UInt64(count), count: count).block
            #expect(try Self.decode(block.encoded(), count) == block)
        }
    }

    @Test func anEmptyBlockComesBack() throws {
        #expect(try Self.decode(IndexBlock().encoded(), 0) == IndexBlock())
    }

    /// Returns a small block with all kinds of entries, for tests with damage.
    static func small() throws -> IndexBlock {
        var block = IndexBlock()
        block.members = [MemberReference(offset: 99, stored: 50, raw: 100)]
        let name = { (text: String) in try RelativePath(validating: Array(text.utf8)) }
        block.append(TreeEntry(path: try name("d"), kind: .directory, mode: FileMode(0o755), modified: .epoch), extents: [])
        block.append(
            TreeEntry(
                path: try name("d/f"), kind: .file, mode: FileMode(0o644), modified: TreeNode.time, size: 65_596,
                digest: SHA256Hasher.digest(of: [1]),
                attributes: [ExtendedAttribute(name: [1], value: [2]), ExtendedAttribute(name: [2], value: [])]),
            extents: [Extent(member: 1, inner: 40, length: 60), Extent(member: 0, inner: 0, length: 65_536)])
        block.append(
            TreeEntry(path: try name("l"), kind: .link, mode: .link, modified: Timestamp(seconds: -5), target: Array("d/f".utf8)),
            extents: [])
        block.append(
            TreeEntry(path: .root, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: .epoch), extents: [])
        return block
    }

    @Test func everyTruncationIsAnError() throws {
        let bytes = try Self.small().encoded()
        for length in 0..<bytes.count {
            #expect(throws: IndexBlock.Problem.self, "cut to \(length)") { try Self.decode(Array(bytes[..<length]), 4) }
        }
        for count in [0, 1, 3, 5, 1_000, Int.max] {
            #expect(throws: IndexBlock.Problem.self, "\(count) entries") { try Self.decode(bytes, count) }
        }
        #expect(throws: IndexBlock.Problem.self) { try Self.decode(bytes + [0], 4) }
    }

    /// Changes each byte to each value: the result is an error, or a valid block.
    @Test func everyByteOfEveryValueIsHarmless() throws {
        let bytes = try Self.small().encoded()
        for place in bytes.indices {
            for value in UInt8.min...UInt8.max where value != bytes[place] {
                var damaged = bytes
                damaged[place] = value
                guard let block = try? Self.decode(damaged, 4) else { continue }
                #expect(try Self.decode(block.encoded(), 4) == block, "byte \(place) as \(value)")
            }
        }
    }

    private static func column(_ id: UInt16, _ bytes: [UInt8]) -> [UInt8] {
        var column: [UInt8] = []
        column.appendInteger(id)
        column.appendInteger(UInt32(bytes.count))
        return column + bytes
    }

    @Test(arguments: [0, 13, 0x7FFF] as [UInt16])
    func anUnknownColumnIsPassedOver(id: UInt16) throws {
        let block = try Self.small()
        #expect(try Self.decode(block.encoded() + Self.column(id, [1, 2, 3]), 4) == block)
        #expect(try Self.decode(Self.column(id, []) + block.encoded(), 4) == block)
    }

    @Test(arguments: [0x8000, 0x8001, 0xFFFF] as [UInt16])
    func aColumnThatMustBeUnderstoodIsRefused(id: UInt16) throws {
        let bytes = try Self.small().encoded() + Self.column(id, [])
        let error = #expect(throws: IndexBlock.Problem.self) { try Self.decode(bytes, 4) }
        #expect(error?.message.contains("newer format") == true)
    }

    /// Returns the columns of the small block, by number.
    private static func columns() throws -> [(id: UInt16, bytes: [UInt8])] {
        var reader: [UInt8] = try small().encoded()
        var columns: [(UInt16, [UInt8])] = []
        while !reader.isEmpty {
            let length = reader[2..<6].reversed().reduce(0) { $0 << 8 | Int($1) }
            columns.append((UInt16(reader[0]), Array(reader[6..<6 + length])))
            reader.removeFirst(6 + length)
        }
        return columns
    }

    @Test func columnsInAnotherOrderAreTheSame() throws {
        let shuffled = try Self.columns().reversed().flatMap { Self.column($0.id, $0.bytes) }
        #expect(try Self.decode(shuffled, 4) == Self.small())
    }

    @Test func aColumnThatIsMissingOrTwiceIsRefused() throws {
        for id in 1...IndexColumn.last {
            let missing = try Self.columns().filter { $0.id != id }.flatMap { Self.column($0.id, $0.bytes) }
            #expect(throws: IndexBlock.Problem.self, "without column \(id)") { try Self.decode(missing, 4) }
            let twice = try (Self.columns() + Self.columns().filter { $0.id == id }).flatMap { Self.column($0.id, $0.bytes) }
            #expect(throws: IndexBlock.Problem.self, "column \(id) twice") { try Self.decode(twice, 4) }
        }
    }

    /// Invalid contents of columns.
    @Test(
        arguments: [
            (1, [4, 1, 2, 0], "an unknown kind"), (3, [0, 0x10, 0, 0, 0, 0, 0, 0], "a mode above 07777"),
            (5, [0, 0xCA, 0x9A, 0x3B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "a billion nanoseconds"),
            (6, [0x80, 0x80, 8], "a size beyond the extents"),
            (6, [0x80, 0x80, 4], "a size below the extents"), (6, [0xBC, 0x80, 0x84, 0x00], "a varint that is not minimal"),
            (8, [1, 1, 0x64, 0, 1, 0x65, 0, 1, 0x66, 0, 0], "a path that shares more than there is"),
            (8, [0, 1, 0x64, 0, 1, 0x64, 0, 1, 0x6C, 0, 0], "a path that comes twice"),
            (8, [0, 1, 0x6C, 0, 1, 0x64, 0, 1, 0x6D, 0, 0], "paths out of order"),
            (8, [0, 2, 0x2E, 0x2E, 0, 3, 0x64, 0x2F, 0x66, 0, 1, 0x6C, 0, 0], "a path that climbs"),
            (8, [0, 0, 0, 1, 0x66, 0, 1, 0x6C, 0, 0], "an entry without a name"),
            (9, [0], "an empty target"), (9, [1, 0], "a target with NUL"),
            (10, [0, 2, 1, 2, 0, 1, 1, 0, 0, 0], "attributes out of order"),
            (10, [0, 2, 1, 1, 0, 1, 1, 0, 0, 0], "an attribute twice"), (10, [0, 1, 0, 0, 0, 0], "an attribute without a name"),
            (11, [3, 80, 0x80, 0x80, 4, 0, 0], "a member that isn't there"), (11, [2, 80, 0x80, 0x80, 4, 0, 0], "member 0"),
            (11, [1, 0xAD, 7, 0x80, 0x80, 4, 0, 0], "an extent beyond its member"),
            (11, [1, 0x81, 8, 0x80, 0x80, 4, 0, 0], "an extent before its member"),
            (11, [1, 0xAF, 7, 0xBC, 0x80, 4, 0, 0], "an extent of no length"),
            (11, [1, 0xAF, 7, 0xBD, 0x80, 4, 0, 0], "more left than there was"), (11, [0, 0, 0], "bytes behind the extents"),
            (11, [1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0], "an offset that overflows"),
            (12, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 100, 0, 0, 0], "a member stored in 2 GiB"),
            (12, [1, 0, 0, 0, 0, 0, 0, 0, 0, 50, 0, 0, 0, 1, 0, 0x10, 0], "a member of over 1 MiB"),
            (12, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], "members without end"),
        ] as [(UInt16, [UInt8], String)])
    func whatNoColumnMaySay(id: UInt16, bytes: [UInt8], what: String) throws {
        let columns = try Self.columns().flatMap { Self.column($0.id, $0.id == id ? bytes : $0.bytes) }
        #expect(throws: IndexBlock.Problem.self, "\(what)") { try Self.decode(columns, 4) }
        guard id == 8 else { return }
        let read = raw(columns) { bytes in
            Result { () throws(IndexBlock.Problem) in try IndexBlock.forEachPath(in: bytes, count: 4) { _, _, _ in } }
        }
        #expect(throws: IndexBlock.Problem.self, "\(what), paths alone") { try read.get() }
    }

    @Test func theColumnsOfTheTableAboveAreRightButForWhatTheyTest() throws {
        let columns = try Self.columns().flatMap {
            Self.column($0.id, $0.id == 11 ? [1, 0xAF, 7, 0x80, 0x80, 4, 0, 0] : $0.id == 6 ? [0xBC, 0x80, 4] : $0.bytes)
        }
        #expect(try Self.decode(columns, 4) == Self.small())
    }

    /// Returns a block with a file that consists of zeros of these lengths.
    private static func holes(_ lengths: [UInt64]) throws -> [UInt8] {
        var block = IndexBlock()
        block.append(
            TreeEntry(
                path: try RelativePath(validating: [0x66]), kind: .file, mode: FileMode(0o644), modified: .epoch,
                size: lengths.reduce(0, +), digest: SHA256Hasher.digest(of: [])),
            extents: lengths.map { Extent(member: 0, inner: 0, length: $0) })
        return block.encoded()
    }

    @Test func zerosComeInOneLongPiece() throws {
        #expect(try Self.decode(try Self.holes([1 << 16]), 1).extents.count == 1)
        for lengths in [[(1 << 16) - 1], [1], [1 << 16, 1 << 16], [1 << 20, 1]] as [[UInt64]] {
            let error = #expect(throws: IndexBlock.Problem.self) { try Self.decode(try Self.holes(lengths), 1) }
            #expect(error?.message == "zeros in adjacent pieces")
        }
    }

    @Test func aBlockHasNoMoreExtentsThanFitItsLength() throws {
        let small = try Self.small()
        var list = [Extent](repeating: small.extents[0], count: Int(CapsuleLimits.indexBlockLength / 16) - 2)
        let read = raw(small.encoded()) { bytes in
            Result {
                var columns = try IndexColumns(bytes)
                // The last two fit.
                try columns.readExtents(size: 65_596, members: small.members, into: &list)
                columns = try IndexColumns(bytes)
                try columns.readExtents(size: 65_596, members: small.members, into: &list)
            }
        }
        let error = #expect(throws: IndexBlock.Problem.self) { try read.get() }
        #expect(error?.message == "too many extents" && list.count == Int(CapsuleLimits.indexBlockLength / 16))
    }

    @Test func aBlocksLengthCountsPathsSpelledOut() throws {
        var block = IndexBlock()
        let long = [UInt8](repeating: 0x61, count: 1_000)
        for last in UInt8(1)...9 {
            block.append(
                TreeEntry(
                    path: try RelativePath(validating: long + [last]), kind: .directory, mode: FileMode(0o755), modified: .epoch),
                extents: [])
        }
        #expect(block.length == 9_009)
        #expect(block.encoded().count < 1_300)
    }
}

@Suite struct IndexRootTests {
    static func root(_ index: GeneratedIndex) -> (root: IndexRoot, blocks: [IndexBlock]) {
        var blocks: [IndexBlock] = []
        let root = index.writer.write { (block) -> IndexRoot.Block in
            blocks.append(block)
            return IndexRoot.Block(
                offset: UInt64(blocks.count) * 1_000, stored: 500, entries: UInt32(block.entries.count),
                digest: SHA256Hasher.digest(of: block.encoded()), likeness: .made(of: block.encoded()),
                firstRoot: block.entries[0].root, firstPath: block.entries[0].path)
        }
        return (root, blocks)
    }

    @Test(arguments: SeededGenerator.seeds)
    func comesBackAndCoversAllEntries(seed: UInt64) throws {
        let index = try GeneratedIndex(seed: seed, count: 3_000)
        let (root, blocks) = Self.root(index)
        #expect(blocks.flatMap(\.entries) == index.entries)
        #expect(root.entries == 3_000)
        #expect(root.bytes == index.entries.reduce(0) { $0 &+ $1.size })
        #expect(raw(root.encoded()) { IndexRoot(decoding: $0) } == root)
        for (number, block) in blocks.enumerated() {
            #expect(try IndexBlockTests.decode(block.encoded(), block.entries.count) == block)
            for entry in block.entries { #expect(root.block(holding: entry.path, in: entry.root) == number) }
        }
        // Extents have the same ranges as before.
        var at = 0
        for block in blocks {
            for place in block.entries.indices {
                let wanted = index.extents[Int(index.ranges[at].lowerBound)..<Int(index.ranges[at].upperBound)]
                let found = block.extents(of: place)
                #expect(wanted.map { $0.isZeros ? nil : index.members[Int($0.member) - 1] } == found.map { block.member(of: $0) })
                #expect(wanted.map(\.length) == found.map(\.length) && wanted.map(\.inner) == found.map(\.inner))
                at += 1
            }
        }
    }

    @Test func nothingIsBeforeTheFirstBlock() throws {
        let (root, _) = Self.root(try GeneratedIndex(seed: 3, count: 10))
        #expect(root.block(holding: .root, in: .tree) == nil)
    }

    @Test func anEmptyIndexComesBack() {
        let root = IndexWriter(entries: [], extents: { _ in [] }).write { _ -> IndexRoot.Block in
            fatalError("no block")
        }
        #expect(root.blocks.isEmpty)
        #expect(raw(root.encoded()) { IndexRoot(decoding: $0) } == root)
        #expect(root.treeDigest == SHA256Hasher.digest(of: Array("capsule-tree-1\n".utf8)))
    }

    @Test func everyTruncationIsNone() throws {
        let bytes = Self.root(try GeneratedIndex(seed: 5, count: 1_500)).root.encoded()
        for length in 0..<bytes.count {
            #expect(raw(Array(bytes[..<length])) { IndexRoot(decoding: $0) } == nil, "cut to \(length)")
        }
        #expect(raw(bytes + [0]) { IndexRoot(decoding: $0) } == nil)
    }

    @Test func everyByteOfEveryValueIsHarmless() throws {
        let bytes = Self.root(try GeneratedIndex(seed: 5, count: 30)).root.encoded()
        for place in bytes.indices {
            for value in UInt8.min...UInt8.max where value != bytes[place] {
                var damaged = bytes
                damaged[place] = value
                guard let root = raw(damaged, { IndexRoot(decoding: $0) }) else { continue }
                #expect(root.encoded() == damaged, "byte \(place) as \(value)")
            }
        }
    }

    @Test func whatNoRootMaySay() throws {
        let (root, _) = Self.root(try GeneratedIndex(seed: 5, count: 3_000))
        try #require(root.blocks.count > 1)
        func isRefused(_ change: (inout IndexRoot) -> Void) -> Bool {
            var changed = root
            change(&changed)
            return raw(changed.encoded()) { IndexRoot(decoding: $0) } == nil
        }
        #expect(isRefused { $0.entries += 1 })
        #expect(isRefused { $0.blocks.swapAt(0, 1) })
        #expect(isRefused { $0.blocks[1] = $0.blocks[0] })
        #expect(isRefused { $0.blocks[0].entries = 0 })
        #expect(isRefused { $0.blocks[0].entries = 2_049 })
        #expect(isRefused { $0.blocks = [] })
        #expect(!isRefused { $0.bytes += 1 })
        #expect(!isRefused { $0.bytes = CapsuleLimits.versionLength })
        #expect(isRefused { $0.bytes = CapsuleLimits.versionLength + 1 })
    }
}

@Suite struct IndexCutTests {
    @Test func cutsAreByContent() throws {
        var cut = BlockBoundary()
        for number in 0..<5_000 {
            let path = try RelativePath(validating: Array("path \(number)".utf8))
            let digest = SHA256Hasher.digest(of: path.bytes).withBytes { UInt16($0[0]) | UInt16($0[1]) << 8 }
            let ends = cut.endsBlock(after: path)
            if digest & 0x1FF == 0 { #expect(ends) }
        }
    }

    @Test func noBlockIsLongerThan2048() throws {
        // A path whose digest never ends a block.
        let path = try (0..<99).lazy.map { try RelativePath(validating: Array("p\($0)".utf8)) }.first { path in
            SHA256Hasher.digest(of: path.bytes).withBytes { UInt16($0[0]) | UInt16($0[1]) << 8 } & 0x1FF != 0
        }
        var cut = BlockBoundary()
        let ends = (1...5_000).filter { _ in path.map { cut.endsBlock(after: $0) } ?? false }
        #expect(ends == [2_048, 4_096])
    }
}
