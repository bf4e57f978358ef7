import CapsuleContainers
import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct OverlayCapsuleTests {
    /// Writes the overlay that turns one container into another, and reads it back.
    private static func overlay(
        _ old: String, _ new: String, to file: String, _ change: (inout OverlayExport) -> Void = { _ in }
    ) throws -> OverlayPackage {
        try UseCases.writeOverlay(old, new, to: file, jobs: 2, change)
        return try OverlaySource(Array(file.utf8)).package()
    }

    /// Returns two trees. The second one is the first with some entries changed.
    private static func pair(_ seed: UInt64) -> (TreeLiteral, TreeLiteral) {
        var random = SeededGenerator(seed: seed)
        let old = generatedTree(seed: seed, entries: 40, hasAttributes: false).withoutHardLinks
        var new = old
        let added = generatedTree(seed: seed &+ 1, entries: 12, hasAttributes: false).withoutHardLinks
        for (path, node) in added.nodes where !path.bytes.isEmpty && new[path] == nil {
            if Self.isInDirectories(path, of: new) { new[path] = node }
        }
        for path in old.paths where !path.bytes.isEmpty && random.isLucky(oneIn: 3) {
            guard let node = old[path], case .file(var bytes) = node.kind else { continue }
            switch random.number(0...4) {
            case 0: new[path] = nil
            case 1: new[path]?.mode ^= 0o011
            case 2: new[path] = .link("elsewhere")
            default:
                for _ in 0..<3 where !bytes.isEmpty { bytes[random.number(0...bytes.count - 1)] ^= 0x5A }
                new[path]?.kind = .file(bytes + random.bytes(random.number(0...10)))
            }
        }
        return (old, new)
    }

    private static func isInDirectories(_ path: TreeLiteral.RawPath, of tree: TreeLiteral) -> Bool {
        var parent = path.parent
        while let place = parent {
            if let node = tree[place], node.kind != .directory { return false }
            parent = place.parent
        }
        return true
    }

    @Test(arguments: SeededGenerator.seeds)
    func whatTurnsOneTreeIntoAnotherDoesSoThereAndBack(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let (old, new) = Self.pair(seed)
        try old.make(at: directory["a"])
        try new.make(at: directory["b"])
        let (before, after) = (try OverlayModel(directory["a"]), try OverlayModel(directory["b"]))
        let package = try Self.overlay(directory["a"], directory["b"], to: directory["o.capsule"])
        var tree = before
        try tree.apply(package)
        #expect(tree.differences(from: after) == [], "seed \(seed)")
        var inverse = package
        inverse.overlay = try package.overlay.inverted()
        try tree.apply(inverse)
        #expect(tree.differences(from: before) == [], "seed \(seed)")
        if package.contents != nil { #expect(try UseCases.verify(directory["o.capsule"]).findings == []) }
    }

    /// Bundles, capsules of them, and any number of threads give the same bytes.
    @Test func formsOfContainersAndThreadsMakeNoDifference() throws {
        let directory = try TemporaryDirectory()
        let (old, new) = Self.pair(7)
        try bundle(old).make(at: directory["App.xcappdata"])
        try UseCases.pack(directory["App.xcappdata"], to: directory["c.capsule"])
        try bundle(new).make(at: directory["New.xcappdata"])
        try UseCases.pack(directory["New.xcappdata"], to: directory["d.capsule"])
        try UseCases.writeOverlay(directory["App.xcappdata"], directory["New.xcappdata"], to: directory["live"])
        let live = try Files.read(directory["live"])
        for (old, new) in [("c.capsule", "d.capsule"), ("App.xcappdata", "d.capsule")] {
            try UseCases.writeOverlay(directory[old], directory[new], to: directory["other"])
            let isSame = try Files.read(directory["other"]) == live
            #expect(isSame, "\(old) \(new)")
        }
        for jobs in [2, 8] {
            try UseCases.writeOverlay(directory["App.xcappdata"], directory["New.xcappdata"], to: directory["other"], jobs: jobs)
            let isSame = try Files.read(directory["other"]) == live
            #expect(isSame, "\(jobs) threads")
        }
    }

    @Test func aLargeFileThatChangedInFewPlacesCostsThosePlaces() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 3)
        let bytes = random.bytes(5 << 20)
        var changed = bytes
        changed.replaceSubrange(1_000_000..<1_000_004, with: [1, 2, 3, 4])
        changed.insert(contentsOf: Array("inserted".utf8), at: 3_000_000)
        try (["f": .file(bytes)] as TreeLiteral).make(at: directory["a"])
        try (["f": .file(changed)] as TreeLiteral).make(at: directory["b"])
        let package = try Self.overlay(directory["a"], directory["b"], to: directory["o"])
        let record = try #require(package.overlay.files.first)
        #expect(try #require(record.new?.content?.recipe?.carriedSize) < 20_000)
        #expect(try #require(record.old?.content?.recipe?.carriedSize) < 20_000)
        #expect(try Files.read(directory["o"]).count < 60_000)
        var tree = try OverlayModel(directory["a"])
        try tree.apply(package)
        #expect(tree.differences(from: try OverlayModel(directory["b"])) == [])
        let oneWay = try Self.overlay(directory["a"], directory["b"], to: directory["p"]) { $0.isOneWay = true }
        #expect(oneWay.overlay.files.first?.old?.content?.recipe == nil)
        #expect(oneWay.overlay.files.first?.new?.content == record.new?.content)
    }

    @Test func withoutTheWayBackOldContentsAreLeftOut() throws {
        let directory = try TemporaryDirectory()
        try (["gone": .file("what was there"), "f": .file("old")] as TreeLiteral).make(at: directory["a"])
        try (["f": .file("new")] as TreeLiteral).make(at: directory["b"])
        let package = try Self.overlay(directory["a"], directory["b"], to: directory["o"]) { $0.isOneWay = true }
        let isCarried = package.overlay.files.map { record in
            [record.old, record.new].map { state in
                state?.content.map { content in package.contents?.has(content.digest, size: content.size) ?? false }
            }
        }
        #expect(isCarried == [[false, true], [false, nil]])
        #expect(try UseCases.verify(directory["o"]).findings == [])
    }

    @Test func whatCarriesNoBytesIsADocument() throws {
        let directory = try TemporaryDirectory()
        let old: TreeLiteral = ["d": .directory(), "f": .file("same"), "p": .file(plist(["a": "1"])), "gone": .file("x")]
        let new: TreeLiteral = [
            "d": .directory(mode: 0o700), "f": .file("same", mode: 0o600), "p": .file(plist(["a": "2"])), "l": .link("f"),
            "empty": .file(),
        ]
        try old.make(at: directory["a"])
        try new.make(at: directory["b"])
        let package = try Self.overlay(directory["a"], directory["b"], to: directory["o"]) {
            $0.isOneWay = true
            $0.isByValue = true
        }
        #expect(try Files.read(directory["o"]).starts(with: Array("<?xml".utf8)))
        #expect(package.contents == nil)
        #expect(package.overlay.files.map(\.path.description) == ["d", "empty", "f", "gone", "l"])
        #expect(package.overlay.targets.map(\.path) == ["p"])
        #expect(package.overlay.targets.first?.operations.map(\.path.description) == ["/a", "/a"])
    }

    @Test func equalContainersMakeAnOverlayOfNothing() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("same")] as TreeLiteral).make(at: directory["a"])
        let package = try Self.overlay(directory["a"], directory["a"], to: directory["o"])
        #expect(package.overlay.files.isEmpty && package.overlay.targets.isEmpty && package.contents == nil)
    }

    @Test func aChangedPropertyListHasItsOperationsToo() throws {
        let directory = try TemporaryDirectory()
        for (name, value) in [("A", "1"), ("B", "2")] {
            let tree: TreeLiteral = [
                "Library/Preferences/x.plist": .file(plist(["a": value])), "t": .file("<plist\(value)"),
            ]
            try bundle(tree).make(at: directory["\(name).xcappdata"])
        }
        let package = try Self.overlay(directory["A.xcappdata"], directory["B.xcappdata"], to: directory["o"])
        #expect(package.overlay.files.map(\.path.description) == ["Library/Preferences/x.plist", "t"])
        let target = try #require(package.overlay.targets.first)
        #expect(package.overlay.targets.count == 1 && target.path == "Library/Preferences/x.plist" && target.root == .appData)
        var values = Overlay(targets: [target])
        values.targets[0].path = nil
        let result = try values.applied(to: .dictionary(["a": .string("1")]), in: OverlayContext(values: [:]))
        #expect(result.value == .dictionary(["a": .string("2")]))
        #expect(package.origin?.source.bundleIdentifier == "com.example.app" && package.origin?.layout == .container)
    }

    @Test func appGroupsKeepTheirPlaces() throws {
        let directory = try TemporaryDirectory()
        for (name, value) in [("A", "1"), ("B", "2")] {
            var tree = bundle(["f": .file("same")])
            tree["AppGroups/group.x/p.plist"] = .file(plist(["a": value]))
            tree["AppGroups/group.x/deep/f"] = .file("f\(value)")
            try tree.make(at: directory["\(name).xcappdata"])
        }
        let package = try Self.overlay(directory["A.xcappdata"], directory["B.xcappdata"], to: directory["o"])
        #expect(package.overlay.files.map(\.path.description) == ["AppGroups/group.x/deep/f", "AppGroups/group.x/p.plist"])
        #expect(package.overlay.targets.map(\.root) == [.appGroup("group.x")] && package.overlay.targets[0].path == "p.plist")
        #expect(try UseCases.verify(directory["o"]).findings == [])
        let listed = try UseCases.list(directory["o"]).map(\.path.description)
        #expect(listed == ["AppGroups/group.x/deep", "AppGroups/group.x/deep/f", "AppGroups/group.x/p.plist"])
    }

    @Test func aUnitIsGuardedWhereSomethingOfItChanges() throws {
        let directory = try TemporaryDirectory()
        let magic = "SQLite format 3\0"
        let old: TreeLiteral = [
            "db.sqlite": .file(magic + "1"), "db.sqlite-wal": .file("log"), "db.sqlite-shm": .file("1"),
            ".db_SUPPORT/_EXTERNAL_DATA/a": .file("blob"), "other.sqlite": .file(magic), "other.sqlite-wal": .file("w"),
        ]
        var new = old
        new["db.sqlite-wal"] = .file("more")
        try old.make(at: directory["a"])
        try new.make(at: directory["b"])
        let package = try Self.overlay(directory["a"], directory["b"], to: directory["o"])
        let guards = package.overlay.files.map { "\($0.path) \($0.isGuard)" }
        #expect(
            guards == [
                ".db_SUPPORT true", ".db_SUPPORT/_EXTERNAL_DATA true", ".db_SUPPORT/_EXTERNAL_DATA/a true", "db.sqlite true",
                "db.sqlite-journal true", "db.sqlite-wal false",
            ])
        // Entries that only must be present are not carried.
        #expect(try UseCases.list(directory["o"]).filter { $0.kind == .file }.map(\.path.description) == ["db.sqlite-wal"])
        // The files that belong to a blob's database are guarded, too.
        new = old
        new[".db_SUPPORT/_EXTERNAL_DATA/a"] = .file("other blob")
        try new.make(at: directory["c"])
        let blob = try Self.overlay(directory["a"], directory["c"], to: directory["p"]).overlay.files
        #expect(blob.filter { !$0.isGuard }.map(\.path.description) == [".db_SUPPORT/_EXTERNAL_DATA/a"])
        #expect(blob.map(\.path.description).contains("db.sqlite-wal"))
    }

    @Test func aSideThatIsNotKnownWholeMakesNoOverlay() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x"), "d/g": .file("y")] as TreeLiteral).make(at: directory["a"])
        try (["f": .file("z")] as TreeLiteral).make(at: directory["b"])
        var options = DiffOptions()
        options.usesCache = false
        let old = try ComparedSide(UseCases.container(directory["a"]), options)
        let new = try ComparedSide(UseCases.container(directory["b"]), options)
        #expect(try OverlayBuilder(turning: old, into: new, options: OverlayBuilder.Options()).package().overlay.files.count == 3)
        var unread = old
        unread.failures[0] = CapsuleError("no")
        var unlisted = new
        unlisted.unlisted[try RelativePath(validating: Array("d".utf8))] = "no"
        for (old, new) in [(unread, new), (old, unlisted)] {
            let error = UseCases.failure { try OverlayBuilder(turning: old, into: new, options: OverlayBuilder.Options()) }
            #expect(error?.message.contains("an overlay needs every file") == true)
        }
    }

    /// Metadata that an archive doesn't have is not recorded, and is not a difference.
    @Test func archivesWithoutModesAndAttributesSayNothingOfThem() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x"), "g": .file("same")] as TreeLiteral).make(at: directory["a"])
        try (["f": .file("y"), "g": .file("same", mode: 0o600)] as TreeLiteral).make(at: directory["b"])
        let old = try ComparedSide(UseCases.container(directory["a"]), DiffOptions())
        var new = try ComparedSide(UseCases.container(directory["b"]), DiffOptions())
        for index in new.tree.entries.indices { new.tree.entries[index].unknown = [.mode, .attributes] }
        let files = try OverlayBuilder(turning: old, into: new, options: OverlayBuilder.Options()).package().overlay.files
        #expect(files.map(\.path.description) == ["f"])
        #expect(files.first?.old?.mode == FileMode(0o644) && files.first?.new?.mode == nil && files.first?.new?.attributes == nil)
    }

    @Test func valuesThatXMLCannotHoldAreHeld() throws {
        let directory = try TemporaryDirectory()
        for (name, date) in [("a", 700_000_000.5), ("b", 700_000_001.25)] {
            let value = PlistValue.dictionary(["when": .date(date)])
            let tree: TreeLiteral = ["p.plist": .file(try BinaryPlistWriter.write(value)), "f": .file(name)]
            try tree.make(at: directory[name])
        }
        let package = try Self.overlay(directory["a"], directory["b"], to: directory["o"])
        #expect(package.overlay.targets.map(\.path) == ["p.plist"])
        #expect(try UseCases.verify(directory["o"]).findings == [])
        let description = try UseCases.describe(directory["o"])
        #expect(description.capsule?.overlay?.targets.count == 1)
        #expect(try description.propertyList().starts(with: Array("<?xml".utf8)))
    }
}

extension UseCases {
    static func writeOverlay(
        _ old: String, _ new: String, to file: String, jobs: Int = 1, _ change: (inout OverlayExport) -> Void = { _ in }
    ) throws {
        var writing = OverlayExport(OutputFile(HostPath(file), replaces: true), captured: captured)
        change(&writing)
        var options = DiffOptions()
        options.usesCache = false
        options.jobs = jobs
        _ = try ContainerDiffer(options).run(container(old), container(new), writing: writing)
    }
}

extension TreeLiteral {
    /// The tree with separate files in place of hard links.
    fileprivate var withoutHardLinks: TreeLiteral {
        mapping { _, node in
            if case .hardLink = node.kind { node = .file("was a link") }
        }
    }
}
