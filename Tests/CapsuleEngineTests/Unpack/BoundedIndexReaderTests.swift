import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct BoundedIndexReaderTests {
    @Test func allBlocksTogetherHoldNoMoreThanTheLimit() throws {
        let directory = try TemporaryDirectory()
        var tree = TreeLiteral()
        for number in 0..<3_000 { tree[TreeLiteral.RawPath(Array("file-\(number)".utf8))] = .file("x") }
        try tree.make(at: directory["t"])
        let version = try packed(directory["t"], to: directory["c.capsule"])
        try #require(version.root.blocks.count > 2)
        func read(limit: UInt64) throws -> UInt64 {
            let index = BoundedIndexReader(version.capsule, version.root, limit: limit)
            return try (0..<index.count).reduce(0) { try $0 + index.block($1).length }
        }
        let length = try read(limit: .max)
        #expect(try read(limit: length) == length)
        let error = #expect(throws: CapsuleError.self) { try read(limit: length - 1) }
        #expect(error?.code == .damaged)
    }
}

@Suite struct ExtentTableTests {
    /// Makes a table with one file of data, zeros and data, in two blocks of an index.
    private static func table() throws -> ExtentTable {
        var table = ExtentTable(entries: 3)
        for name in [0x61, 0x62] as [UInt8] {
            var block = IndexBlock()
            block.members = [
                MemberReference(offset: UInt64(name), stored: 10, raw: 100), MemberReference(offset: 7, stored: 10, raw: 100),
            ]
            let entry = TreeEntry(
                path: try RelativePath(validating: [name]), kind: .file, mode: FileMode(0o644), modified: .epoch, size: 65_666)
            block.append(
                entry,
                extents: [
                    Extent(member: 1, inner: 3, length: 60), Extent(member: 0, inner: 0, length: 65_536),
                    Extent(member: 2, inner: 0, length: 70),
                ])
            table.append(block)
        }
        return table
    }

    @Test func extentsAreFoundByOffset() throws {
        let table = try Self.table()
        for (number, start) in [(0, UInt64(0x61)), (1, 0x62)] {
            let extents = table.extents(of: number)
            #expect(extents.map(\.range) == [0..<60, 60..<65_596, 65_596..<65_666])
            #expect(extents.map { $0.member?.offset } == [start, nil, 7])
            for (offset, first) in [(0, 0), (59, 0), (60, 60), (65_595, 60), (65_596, 65_596), (65_665, 65_596)]
                as [(UInt64, UInt64)]
            {
                #expect(extents.from(offset).first?.offset == first, "at \(offset)")
            }
            #expect(extents.from(65_666).isEmpty)
        }
    }
}
