import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

/// Capsules with intact bytes and an index that is not allowed. Nothing in them is unpacked or packed again.
@Suite struct HostileCapsuleTests {
    private static let identity = ".com.apple.mobile_container_manager.metadata.plist"
    private static let frame = [
        ("", TreeRoot.wrapper), ("AppData", .wrapper), ("AppGroups", .wrapper), ("AppGroups/g", .wrapper),
    ]

    /// Returns the same few bytes for every file.
    private struct Letters: ContentSource {
        var isLive: Bool { false }
        func open(_ entry: TreeEntry, number: Int) -> any OpenContent { InMemoryContent([1, 2, 3], as: entry) }
    }

    private static func entry(_ path: String, _ root: TreeRoot, _ kind: EntryKind) throws -> TreeEntry {
        TreeEntry(
            path: path.isEmpty ? .root : try RelativePath(validating: Array(path.utf8)), root: root, kind: kind,
            mode: FileMode(0o755), modified: .epoch, size: kind.hasContent ? 3 : 0)
    }

    /// Packs entries unchanged, beside a bundle's own directories.
    private static func write(_ entries: [TreeEntry], to capsule: HostPath) throws {
        let all = try frame.map { try entry($0, $1, .directory) } + entries
        var opened = OpenedContainer(
            name: Array("x".utf8), layout: .container, source: SourceDescription(kind: .bundle), groups: [Array("g".utf8)],
            entries: all.sorted(by: TreeEntry.isOrdered), isDigested: false, contents: EntryContents(Letters(), count: all.count),
            omitted: [],
            wantedOmissions: 0,
            evidence: [])
        let staged = try StagedFile(for: capsule)
        _ = try Packer(options: PackOptions(captured: UseCases.captured)).pack(&opened, to: StagedMembers(staged))
        try staged.commit(replacing: false)
    }

    @Test func whatIsInItsPlaceIsRead() throws {
        let directory = try TemporaryDirectory()
        try Self.write(
            [
                Self.entry(Self.identity, .tree, .identity), Self.entry("AppGroups/g/f", TreeRoot(rawValue: 2), .file),
                Self.entry("AppGroups/g/\(Self.identity)", TreeRoot(rawValue: 2), .identity),
            ], to: directory.host("a.capsule"))
        #expect(try UseCases.list(directory["a.capsule"]).count == 3)
        #expect(try UseCases.verify(directory["a.capsule"]).findings == [])
    }

    @Test(arguments: [
        ("x", TreeRoot(rawValue: 2), EntryKind.file), ("AppGroups/h", TreeRoot(rawValue: 2), .directory),
        ("AppGroups/g", TreeRoot(rawValue: 2), .directory), ("AppGroups", .tree, .directory), ("x", .tree, .identity),
        (identity, .tree, .file), (identity, .wrapper, .identity), (".capsule-transaction", .tree, .directory),
        (".capsule-transaction", .wrapper, .file), ("AppGroups/g/.capsule-transaction", TreeRoot(rawValue: 2), .file),
    ])
    func whatIsOutOfPlaceIsDamage(path: String, root: TreeRoot, kind: EntryKind) throws {
        let directory = try TemporaryDirectory()
        try Self.write([Self.entry(path, root, kind)], to: directory.host("a.capsule"))
        let error = UseCases.failure { try UseCases.unpack(directory["a.capsule"], to: directory["out"]) }
        #expect(error?.code.isFailure == true)
        #expect(
            error?.message.hasPrefix("the index of version 1 is not a valid tree: ") == true, "\(error?.message ?? "no error")")
        #expect(error?.path == HostPath(path))
        #expect(UseCases.failure { try UseCases.pack(directory["a.capsule"], to: directory["b.capsule"]) } != nil)
        #expect((try? UseCases.verify(directory["a.capsule"]).isWhole) != true)
        #expect(try directory.names == ["a.capsule"])
    }
}

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
