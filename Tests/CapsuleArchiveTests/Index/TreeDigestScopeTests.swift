import CapsuleArchive
import CapsuleCore
import Testing

/// Compares the bytes that digests cover with bytes that follow docs/format.md, section 9, by hand.
@Suite struct TreeDigestScopeTests {
    private static let digest = ContentDigest { $0.copyBytes(from: (0..<32).map { UInt8($0) }) }

    private static func entry(_ path: String, _ kind: EntryKind, root: TreeRoot = .tree) throws -> TreeEntry {
        TreeEntry(
            path: try RelativePath(validating: Array(path.utf8)), root: root, kind: kind, mode: FileMode(0o644),
            modified: Timestamp(seconds: 99), size: kind.hasContent ? 0x0102_0304 : 0, digest: kind.hasContent ? digest : .zero,
            target: kind == .link ? Array("to".utf8) : [],
            attributes: [
                ExtendedAttribute(name: Array("n".utf8), value: Array("vv".utf8)),
                ExtendedAttribute(name: Array("o".utf8), value: []),
            ])
    }

    private static func record(_ scope: TreeDigestScope, _ entry: TreeEntry) -> [UInt8] {
        var record: [UInt8] = []
        scope.append(entry, to: &record)
        return record
    }

    private static let attributes: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0x6E, 2, 0, 0, 0, 0x76, 0x76, 1, 0, 0, 0, 0x6F, 0, 0, 0, 0]
    private static let content: [UInt8] = [4, 3, 2, 1, 0, 0, 0, 0] + (0..<32).map { UInt8($0) }

    @Test func tagsNameTheDigest() {
        #expect(TreeDigestScope.tree.tag == Array("capsule-tree-1\n".utf8))
        #expect(TreeDigestScope.content.tag == Array("capsule-content-1\n".utf8))
    }

    @Test func aFile() throws {
        let file = try Self.entry("a/b", .file)
        let start: [UInt8] = [1, 3, 0, 0, 0, 0x61, 0x2F, 0x62]
        let mode: [UInt8] = [0xA4, 0x01]
        #expect(Self.record(.tree, file) == start + mode + Self.content + Self.attributes)
        #expect(Self.record(.content, file) == start + Self.content)
    }

    @Test func aDirectory() throws {
        let directory = try Self.entry("d", .directory)
        #expect(Self.record(.tree, directory) == [0, 1, 0, 0, 0, 0x64, 0xA4, 0x01] + Self.attributes)
        #expect(Self.record(.content, directory) == [0, 1, 0, 0, 0, 0x64])
    }

    @Test func aLinkHasNoMode() throws {
        let link = try Self.entry("l", .link)
        #expect(Self.record(.tree, link) == [2, 1, 0, 0, 0, 0x6C, 0, 0, 2, 0, 0, 0, 0x74, 0x6F] + Self.attributes)
        #expect(Self.record(.content, link) == [2, 1, 0, 0, 0, 0x6C, 2, 0, 0, 0, 0x74, 0x6F])
    }

    @Test func aGroupsEntryCounts() throws {
        let group = try #require(TreeRoot.group(0))
        #expect(Self.record(.content, try Self.entry("AppGroups/g/x", .directory, root: group)).count == 18)
    }

    @Test func wrapperAndIdentityDoNotCount() throws {
        for scope in [TreeDigestScope.tree, .content] {
            #expect(Self.record(scope, try Self.entry("AppData", .directory, root: .wrapper)).isEmpty)
            #expect(Self.record(scope, try Self.entry("x", .identity)).isEmpty)
        }
    }

    @Test func timesDoNotCount() throws {
        let file = try Self.entry("a", .file)
        var later = file
        later.modified = Timestamp(seconds: 100)
        #expect(Self.record(.tree, file) == Self.record(.tree, later))
    }
}
