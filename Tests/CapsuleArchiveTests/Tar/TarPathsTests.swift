import CapsuleCore
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
