import CapsuleCore
import Testing

@Suite struct TreeShapeTests {
    private static let identity = ".com.apple.mobile_container_manager.metadata.plist"
    private static let reserved = "the name is reserved for unfinished transactions"
    /// The identifiers of groups. A case uses the first ones.
    private static let groups = ["g", "h"].map { Array($0.utf8) }

    /// Parses lines such as `d Documents`: the kind, the path and, after `:`, the root.
    private static func entries(_ lines: [String]) throws -> [TreeEntry] {
        try lines.map { line in
            let kinds: [Character: EntryKind] = ["d": .directory, "f": .file, "l": .link, "i": .identity]
            let parts = line.dropFirst(2).split(separator: ":", omittingEmptySubsequences: false)
            let root = parts.count > 1 ? UInt8(parts[1]) ?? 0 : 0
            let path = parts[0].isEmpty ? RelativePath.root : try RelativePath(validating: Array(parts[0].utf8))
            let kind = try #require(line.first.flatMap { kinds[$0] })
            return TreeEntry(
                path: path, root: TreeRoot(rawValue: root), kind: kind, mode: FileMode(0o755), modified: .epoch,
                target: kind == .link ? [1] : [])
        }
    }

    @Test(arguments: [
        (["d :1", "d AppData:1"], ContainerLayout.container, 0),
        (["d Documents", "f Documents/x", "l z", "d :1", "d AppData:1"], .container, 0),
        (["i .com.apple.mobile_container_manager.metadata.plist", "d :1", "d AppData:1"], .container, 0),
        (["d .com.apple.mobile_container_manager.metadata.plist", "d :1", "d AppData:1"], .container, 0),
        (["f .com.apple.mobile_container_manager.metadata.plist", "d :1"], .directory, 0),
        (["d d", "f d/.com.apple.mobile_container_manager.metadata.plist", "d :1", "d AppData:1"], .container, 0),
        (["d d", "f d/.capsule-transaction", "d d/AppGroups", "d :1", "d AppData:1"], .container, 0),
        (["d AppGroups", "d :1"], .directory, 0),
        (
            [
                "d :1", "d AppData:1", "d AppGroups:1", "d AppGroups/g:1",
                "i AppGroups/g/.com.apple.mobile_container_manager.metadata.plist:2", "d AppGroups/g/d:2",
                "f AppGroups/g/d/.com.apple.mobile_container_manager.metadata.plist:2",
            ], .container, 1
        ),
        (["d :1", "d AppData:1", "d AppGroups:1", "d AppGroups/g:1", "d AppGroups/h:1", "f AppGroups/h/x:3"], .container, 2),
        (
            ["d :1", "d AppData:1", "f AppDataInfo.plist:1", "d AppGroups:1", "d AppGroups/g:1", "f AppGroups/g/x:2"], .container,
            1
        ),
        (["f a", "d :1"], .directory, 0), (["d a", "f a-b", "f a/b", "d :1", "d AppData:1"], .container, 0),
        (["d :1", "d AppData:1", "d AppGroups:1", "d AppGroups/g:1", "d AppGroups/g/x:2", "f AppGroups/g/x/y:2"], .container, 1),
    ])
    func trees(lines: [String], layout: ContainerLayout, groups: Int) throws {
        #expect(TreeShape.problem(in: try Self.entries(lines), layout: layout, groups: Array(Self.groups.prefix(groups))) == nil)
    }

    static let broken: [(lines: [String], layout: ContainerLayout, groups: Int, path: String, message: String)] = [
        (["f a", "f a"], ContainerLayout.container, 0, "a", "the entry is listed twice"),
        (["d a", "f a"], .container, 0, "a", "the entry is listed twice"),
        (["f b", "f a"], .container, 0, "a", "the entry is out of order"),
        (["d :1", "f a"], .container, 0, "a", "the entry is out of order"),
        (["d a/b"], .container, 0, "a/b", "the entry has no parent directory"),
        (["f a", "f a/b"], .container, 0, "a/b", "the entry has no parent directory"),
        (["l a", "f a/b"], .container, 0, "a/b", "the entry has no parent directory"),
        (["f a/b/c"], .container, 0, "a/b/c", "the entry has no parent directory"),
        (["d AppData:1"], .container, 0, "AppData", "the entry has no parent directory"),
        (["d "], .container, 0, "", "the entry has no name"),
        (
            ["d :1", "d AppGroups:1", "d AppGroups/g:1", "f AppGroups/g/x:2"], .container, 0, "AppGroups/g/x",
            "the entry belongs to an app group that does not exist"
        ),
        (["d :1", "d AppGroups:1", "f AppGroups/g/x:2"], .container, 1, "AppGroups/g/x", "the entry has no parent directory"),
        (["d :1", "i x:1"], .container, 0, "x", "the container's identity is in the wrong place"),
        (["i x", "d :1"], .directory, 0, "x", "the container's identity is in the wrong place"),
        (["i x", "d :1", "d AppData:1"], .container, 0, "x", "the container's identity is in the wrong place"),
        (["i \(identity)", "d :1"], .directory, 0, identity, "the container's identity is in the wrong place"),
        (["d :1", "i \(identity):1"], .container, 0, identity, "the container's identity is in the wrong place"),
        // As a file, it would be compared, and would replace the identity of the installation.
        (["f \(identity)", "d :1", "d AppData:1"], .container, 0, identity, "the container's identity is in the wrong place"),
        (["d d", "i d/\(identity)", "d :1"], .container, 0, "d/\(identity)", "the container's identity is in the wrong place"),
        (
            ["d :1", "d AppGroups:1", "d AppGroups/g:1", "i AppGroups/g/x:2"], .container, 1, "AppGroups/g/x",
            "the container's identity is in the wrong place"
        ),
        // Entries in the directory of another group, or outside of all groups, are in no group after unpacking.
        (
            ["d :1", "d AppGroups:1", "d AppGroups/h:1", "f AppGroups/h/x:2"], .container, 1, "AppGroups/h/x",
            "the entry belongs to an app group but is outside the group's directory"
        ),
        (
            ["d :1", "d AppGroups:1", "d AppGroups/g:1", "d AppGroups/g:2"], .container, 1, "AppGroups/g",
            "the entry belongs to an app group but is outside the group's directory"
        ),
        (["d :1", "f x:2"], .container, 1, "x", "the entry belongs to an app group but is outside the group's directory"),
        (
            ["d :1", "d AppGroups:1", "d AppGroups/g2:1", "f AppGroups/g2/x:2"], .container, 1, "AppGroups/g2/x",
            "the entry belongs to an app group but is outside the group's directory"
        ),
        (["d AppGroups", "d :1"], .container, 0, "AppGroups", "an entry of the container's tree is inside the app groups"),
        (["f AppGroups", "d :1"], .container, 0, "AppGroups", "an entry of the container's tree is inside the app groups"),
        // After unpacking, it would be taken for an unfinished transaction.
        (["d .capsule-transaction", "d :1"], .directory, 0, ".capsule-transaction", reserved),
        (["f .capsule-transaction", "d :1"], .container, 0, ".capsule-transaction", reserved),
        (["d :1", "l .capsule-transaction:1"], .container, 0, ".capsule-transaction", reserved),
        (
            ["d :1", "d AppGroups:1", "d AppGroups/g:1", "d AppGroups/g/.capsule-transaction:2"], .container, 1,
            "AppGroups/g/.capsule-transaction", reserved
        ),
        (["d :1", "d AppData:1"], .directory, 0, "AppData", "the entry belongs in a bundle, but this is a plain directory"),
        ([], .container, 0, "", "the container's directory is missing or not a directory"),
        (["f a"], .directory, 0, "", "the container's directory is missing or not a directory"),
        (["f a", "d :1"], .container, 0, "AppData", "the container's directory is missing or not a directory"),
        (["f a", "d :1", "l AppData:1"], .container, 0, "AppData", "the container's directory is missing or not a directory"),
        (["f a", "d :1", "f AppData:1"], .container, 0, "AppData", "the container's directory is missing or not a directory"),
        (["d x:2"], .directory, 1, "x", "the entry belongs in a bundle, but this is a plain directory"),
        (
            ["d :1", "d AppData:1", "f AppData/x:1"], .container, 0, "AppData/x",
            "an entry of the bundle is inside the container's tree"
        ),
        (
            ["d :1", "d AppGroups:1", "d AppGroups/g:1", "f AppGroups/g/x:1"], .container, 1, "AppGroups/g/x",
            "an entry of the bundle is inside the container's tree"
        ),
    ]

    @Test(arguments: broken)
    func problems(lines: [String], layout: ContainerLayout, groups: Int, path: String, message: String) throws {
        let problem = TreeShape.problem(in: try Self.entries(lines), layout: layout, groups: Array(Self.groups.prefix(groups)))
        #expect(problem?.path.bytes == Array(path.utf8))
        #expect(problem?.message == message)
    }

    /// The blocks of an index are checked separately. The first problem is the same wherever they are cut.
    @Test(arguments: broken)
    func problemsAcrossBlocks(lines: [String], layout: ContainerLayout, groups: Int, path: String, message: String) throws {
        let entries = try Self.entries(lines)
        for cut in 0...entries.count {
            let empty = TreeShape(layout: layout, groups: Array(Self.groups.prefix(groups)))
            var whole = empty
            for part in [entries[..<cut], entries[cut...]] {
                var shape = empty
                for entry in part { shape.add(entry.path, entry.root, entry.kind) }
                whole.add(shape)
            }
            #expect(whole.firstProblem?.path.bytes == Array(path.utf8), "cut at \(cut)")
            #expect(whole.firstProblem?.message == message, "cut at \(cut)")
        }
    }

    @Test func whatAnOverlayCarriesBesideItsTreeIsNamedByItsDigest() throws {
        let digest = ContentDigest { $0.copyBytes(from: [UInt8](repeating: 0xAB, count: 32)) }
        let top = try Self.entries(["d :1"])
        func carried(_ path: String, _ kind: EntryKind = .file) throws -> TreeEntry {
            TreeEntry(
                path: try RelativePath(validating: Array(path.utf8)), root: .carried, kind: kind, mode: FileMode(0o600),
                modified: .epoch, size: 1, digest: digest)
        }
        func problem(_ entry: TreeEntry, isOverlay: Bool = true) -> String? {
            TreeShape.problem(in: top + [entry], layout: .directory, groups: [], isOverlay: isOverlay)?.message
        }
        let message = "the entry is not file content of an overlay"
        #expect(problem(try carried(digest.hex)) == nil)
        #expect(problem(try carried(digest.hex), isOverlay: false) == message)
        #expect(problem(try carried(digest.hex.uppercased())) == message)
        #expect(problem(try carried(digest.hex, .directory)) == message)
        #expect(problem(try carried("x")) == message)
        #expect(try !carried(digest.hex).isCompared)
    }

    @Test func groupsAreNumberedUpTo253() throws {
        #expect(TreeRoot.group(0)?.rawValue == 2)
        #expect(TreeRoot.group(252)?.rawValue == 254)
        #expect(TreeRoot.group(253) == nil && TreeRoot.carried.groupNumber == nil)
        #expect(TreeRoot.group(-1) == nil)
        #expect(TreeRoot.tree.groupNumber == nil && TreeRoot.wrapper.groupNumber == nil)
        #expect(TreeRoot(rawValue: 7).groupNumber == 5)
    }
}

@Suite struct TreeEntrySizesTests {
    private static func files(_ sizes: [UInt64]) throws -> [TreeEntry] {
        try sizes.enumerated().map { number, size in
            TreeEntry(
                path: try RelativePath(validating: Array("f\(number)".utf8)), kind: .file, mode: FileMode(0o644),
                modified: Timestamp(seconds: 0), size: size)
        }
    }

    @Test func sizesAddUp() throws {
        #expect(try Self.files([]).totalSize == 0)
        #expect(try Self.files([1, 2, 3]).totalSize == 6)
    }

    /// Sizes whose sum is 2^64 and a few bytes must not count as a few bytes.
    @Test func sumBeyondAnyNumberIsNoSmallOne() throws {
        #expect(try Self.files([1 << 63, 1 << 63, 7]).totalSize == .max)
    }
}
