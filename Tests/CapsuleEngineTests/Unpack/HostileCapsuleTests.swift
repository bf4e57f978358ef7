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
