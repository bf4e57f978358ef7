import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Recognizing a directory's form, its name, and the roots of its entries.
@Suite struct ContainerFormsTests {
    private static let identity = ".com.apple.mobile_container_manager.metadata.plist"

    private static let appData: TreeLiteral = [
        "Documents/a.txt": .file("a"), "Library/Caches": .directory(), "Library/b": .link("Caches"), "tmp": .directory(),
    ]

    /// The name, the tree, the expected kind, and the words of the evidence.
    static let shapes: [(name: String, tree: TreeLiteral, kind: ContainerKind, evidence: String)] = [
        ("x", ["AppData": .directory(), "AppDataInfo.plist": .file()], .bundle, "AppData beside AppDataInfo.plist"),
        ("x.xcappdata", ["AppData": .directory(), "other": .file()], .bundle, "AppData in a directory named .xcappdata"),
        ("x", ["AppData": .directory()], .bundle, "AppData alone"),
        ("x", ["AppData/f": .file(), "l": .link("x")], .bundle, "AppData alone"),
        (".xcappdata", ["AppData": .directory(), "f": .file()], .directory, "neither"),
        ("x", ["AppData": .directory(), "other": .file()], .directory, "neither"),
        ("x", ["AppData": .directory(), "other": .directory()], .directory, "neither"),
        ("x", ["AppData": .file()], .directory, "neither"),
        (
            "x", [".com.apple.mobile_container_manager.metadata.plist": .file()], .container,
            "the container manager's metadata plist"
        ),
        ("x", ["Library": .directory(), "Documents": .directory()], .container, "Library beside Documents"),
        ("x", ["Library": .directory(), "tmp": .directory()], .container, "Library beside tmp"),
        ("x", ["Library": .directory(), "SystemData": .directory()], .container, "Library beside SystemData"),
        ("x", ["Library": .directory()], .directory, "neither"),
        ("x", ["Library": .file(), "Documents": .directory()], .directory, "neither"),
        ("x", ["Library": .link("Documents"), "Documents": .directory()], .directory, "neither"),
        ("x", ["library": .directory(), "documents": .directory()], .directory, "neither"), ("x", [:], .directory, "neither"),
        ("com.example.app", ["Library": .directory(), "tmp": .directory()], .deviceHub, "as in Device Hub"),
        (
            "3F2504E0-4F89-41D3-9A0C-0305E82C3301", ["Library": .directory(), "tmp": .directory()], .simulator,
            "as on a simulator"
        ),
        (
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301", ["Library": .directory(), "tmp": .directory()], .simulator,
            "as on a simulator"
        ),
        (
            "3F2504E0-4F89-41D3-9A0C-0305E82C330", ["Library": .directory(), "tmp": .directory()], .container,
            "Library beside tmp"
        ),
        ("3F2504E0-4F89-41D3-9A0C-0305E82C3301", ["f": .file()], .directory, "neither"),
        ("com.example.app", ["f": .file()], .directory, "neither"),
        (
            "com.example.mac", [".com.apple.containermanagerd.metadata.plist": .file(), "Data/Library": .directory()], .macData,
            "Data in a Mac app's container"
        ),
        ("com.example.mac/Data", ["Library": .directory(), "tmp": .directory()], .container, "Library beside tmp"),
    ]

    @Test(arguments: shapes.indices)
    func detection(number: Int) throws {
        let (name, tree, kind, evidence) = Self.shapes[number]
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory["in/" + name], withIntermediateDirectories: true)
        try FileManager.default.removeItem(atPath: directory["in/" + name])
        try tree.make(at: directory["in/" + name])
        let found = try UseCases.describe(directory["in/" + name])
        #expect(found.source.kind == kind, "\(name) \(tree.paths)")
        #expect(found.layout == (kind == .directory ? .directory : .container))
        #expect(found.evidence.contains { $0.contains(evidence) }, "\(found.evidence)")
        // A link, and a closing slash, make no difference.
        try FileManager.default.createSymbolicLink(atPath: directory["link"], withDestinationPath: "in/" + name)
        let byLink = try UseCases.describe(directory["link"] + "/")
        #expect(byLink.source == found.source && byLink.name == found.name)
    }

    /// The directory's name, the identifiers in its `AppDataInfo.plist` and its identity, and the expected name.
    @Test(
        arguments: [
            ("com.example.gifs 2024-05-17 09:30.12.345.xcappdata", "com.example.gifs", nil, "com.example.gifs"),
            ("com.example.gifs 2024-05-17 09:30.12.345.xcappdata", nil, nil, "com.example.gifs"),
            ("My App.xcappdata", "com.x", nil, "My App"),
            ("a 2024-05-17 09:30.12.34.xcappdata", nil, nil, "a 2024-05-17 09:30.12.34"),
            ("a 2024-05-17 9:30.12.345.xcappdata", nil, nil, "a 2024-05-17 9:30.12.345"),
            ("a 2024-05-17 09:30.12.345", nil, nil, "a"), ("plain", "com.x", nil, "plain"), ("日本.xcappdata", nil, nil, "日本"),
            ("x.xcappdata.xcappdata", nil, nil, "x.xcappdata"),
        ] as [(String, String?, String?, String)])
    func namesOfBundles(name: String, info: String?, identity: String?, wanted: String) throws {
        let directory = try TemporaryDirectory()
        try bundle([:], info: info, identity: identity).make(at: directory[name])
        #expect(try UseCases.describe(directory[name]).name == Array(wanted.utf8))
    }

    @Test(
        arguments: [
            ("Data", "com.example.app", "com.example.app", "com.example.app"), ("Data", nil, "Data", nil),
            ("3F2504E0-4F89-41D3-9A0C-0305E82C3301", "com.x.y", "com.x.y", "com.x.y"),
            ("3F2504E0-4F89-41D3-9A0C-0305E82C3301", nil, "3F2504E0-4F89-41D3-9A0C-0305E82C3301", nil),
            ("com.example.hub", nil, "com.example.hub", "com.example.hub"),
            ("com.example.hub", "com.example.hub", "com.example.hub", "com.example.hub"),
            ("com.example.hub", "com.other", "com.other", "com.other"),
            ("name", "a/b", "name", "a/b"),
        ] as [(String, String?, String, String?)])
    func namesOfBareContainers(name: String, identity: String?, wanted: String, identifier: String?) throws {
        let directory = try TemporaryDirectory()
        var tree = Self.appData
        if let identity { tree["\(Self.identity)".raw] = .file(plist(["MCMMetadataIdentifier": identity])) }
        try tree.make(at: directory[name])
        let found = try UseCases.describe(directory[name])
        #expect(found.name == Array(wanted.utf8))
        #expect(found.source.bundleIdentifier?.string == identifier)
    }

    /// Other programs write these property lists. A binary one can have strings that the manifest's XML can't hold.
    @Test func anIdentifierThatNoXMLHoldsSaysNothing() throws {
        let directory = try TemporaryDirectory()
        let list = ["CFBundleIdentifier": "com.\u{1}x", "bundleIdentifier": "com.example.other"]
        var tree = bundle(Self.appData)
        tree["AppDataInfo.plist"] = .file(
            [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)))
        try tree.make(at: directory["A.xcappdata"])
        let outcome = try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"])
        #expect(outcome.manifest.source.bundleIdentifier?.string == "com.example.other")
        #expect(try UseCases.verify(directory["a.capsule"]).findings == [])
    }

    /// These property lists are XML or binary. A file in another encoding is a different kind of file.
    @Test(arguments: [#"{"CFBundleIdentifier": "com.x"}"#, "CFBundleIdentifier = com.x;", "{ CFBundleIdentifier = com.x; }"])
    func metadataInAnotherEncodingSaysNothing(_ text: String) throws {
        let directory = try TemporaryDirectory()
        var tree = bundle(Self.appData)
        tree["AppDataInfo.plist"] = .file(text)
        try tree.make(at: directory["A.xcappdata"])
        #expect(try UseCases.describe(directory["A.xcappdata"]).source.bundleIdentifier == nil)
    }

    @Test func anUnusableOutputIsRefused() throws {
        let directory = try TemporaryDirectory()
        try Self.appData.make(at: directory["x"])
        #expect(UseCases.failure { try UseCases.pack(directory["x"], to: directory["x/inside.capsule"]) }?.code == .usage)
        #expect(try UseCases.describe(directory["x"]).name == Array("x".utf8))
    }

    // MARK: One tree in all forms

    @Test func digestsAgreeInAllForms() throws {
        let directory = try TemporaryDirectory()
        try bundle(Self.appData, identity: "com.example.app").make(at: directory["A.xcappdata"])
        var bare = Self.appData
        bare[".com.apple.mobile_container_manager.metadata.plist"] = .file(
            plist(["MCMMetadataIdentifier": "another installation"]))
        try bare.make(at: directory["Data"])
        try Self.appData.make(at: directory["com.example.app"])
        let first = try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"]).manifest
        for source in [directory["A.xcappdata/AppData"], directory["Data"], directory["com.example.app"], directory["a.capsule"]]
        {
            let name = "\(source.split(separator: "/").last ?? "").capsule"
            let manifest = try UseCases.pack(source, to: directory["again " + name]) { $0.codec = .zstd }.manifest
            #expect(manifest.treeDigest == first.treeDigest, "\(source)")
            #expect(manifest.contentDigest == first.contentDigest)
            #expect(try UseCases.verify(directory["again " + name]).findings == [])
            let entries = try UseCases.list(directory["again " + name]).filter { $0.kind != .identity }
            #expect(
                entries.map { $0.path.description } == [
                    "Documents", "Documents/a.txt", "Library", "Library/Caches", "Library/b", "tmp",
                ])
        }
    }

    @Test func aCapsuleOfACapsuleIsTheSameVersion() throws {
        let directory = try TemporaryDirectory()
        var tree = bundle(generatedTree(seed: 5, entries: 40, hasAttributes: FileSystemTraits.temporary.keepsAttributes))
        // A live database with a log begins a new member, so a stored one must, too.
        tree["AppData/M.sqlite"] = .file(DatabaseUnit.magic + [1])
        tree["AppData/M.sqlite-wal"] = .file("log")
        try tree.make(at: directory["A.xcappdata"])
        try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"])
        try UseCases.pack(directory["a.capsule"], to: directory["b.capsule"])
        let (a, b) = (
            try UseCases.describe(directory["a.capsule"]).capsule, try UseCases.describe(directory["b.capsule"]).capsule
        )
        #expect(a?.manifest == b?.manifest)
        #expect(try Files.read(directory["a.capsule"]) == Files.read(directory["b.capsule"]))
    }

    /// Modes, times and attributes are not part of the content digest. Times are not part of the tree digest.
    @Test func whatTheDigestsCover() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["d/f": .file("x"), "l": .link("d")]
        func digests(_ name: String, _ tree: TreeLiteral) throws -> (ContentDigest, ContentDigest) {
            try tree.make(at: directory[name])
            let manifest = try UseCases.pack(directory[name], to: directory[name + ".capsule"]).manifest
            return (manifest.treeDigest, manifest.contentDigest)
        }
        let first = try digests("first", tree)
        let times = try digests("times", tree.mapping { $1.modified = Timestamp(seconds: 5) })
        #expect(times == first)
        let modes = try digests("modes", tree.mapping { $1.mode = 0o700 })
        #expect(modes.0 != first.0 && modes.1 == first.1)
        var changed = tree
        changed["d/f"] = .file("y")
        let content = try digests("content", changed)
        #expect(content.0 != first.0 && content.1 != first.1)
        var target = tree
        target["l"] = .link("e")
        let link = try digests("link", target)
        #expect(link.0 != first.0 && link.1 != first.1)
    }

    // MARK: Roots

    /// The root and kind of every entry of a bundle with groups.
    @Test func placement() throws {
        let directory = try TemporaryDirectory()
        var tree = bundle(
            [
                "Documents/f": .file(), "AppData/x": .file(),
                "Library/.com.apple.mobile_container_manager.metadata.plist": .file(),
            ], identity: "com.x")
        tree["AppGroups/group.b/f"] = .file("b")
        tree["AppGroups/group.a/.com.apple.mobile_container_manager.metadata.plist"] = .file("a")
        tree["AppGroups/group.a/d/.com.apple.mobile_container_manager.metadata.plist"] = .file("no identity")
        tree["AppGroups/a file"] = .file()
        tree["Notes.txt"] = .file()
        tree["Other/x"] = .file()
        try tree.make(at: directory["A.xcappdata"])
        let outcome = try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"])
        #expect(outcome.manifest.groups == ["group.a", "group.b"].map { Array($0.utf8) })
        let rows = try UseCases.list(directory["a.capsule"]).map { "\($0.root.rawValue) \($0.kind.word) \($0.path)" }
        #expect(
            rows == [
                "0 identity .com.apple.mobile_container_manager.metadata.plist", "0 directory AppData", "0 file AppData/x",
                "0 directory Documents",
                "0 file Documents/f", "0 directory Library", "0 file Library/.com.apple.mobile_container_manager.metadata.plist",
                "2 identity AppGroups/group.a/.com.apple.mobile_container_manager.metadata.plist",
                "2 directory AppGroups/group.a/d",
                "2 file AppGroups/group.a/d/.com.apple.mobile_container_manager.metadata.plist", "3 file AppGroups/group.b/f",
            ])
        let wrapper = try UseCases.list(directory["a.capsule"], ["AppGroups", "AppDataInfo.plist", "Notes.txt", "Other"]).filter {
            $0.root == .wrapper
        }
        #expect(
            wrapper.map { $0.path.description } == [
                "AppDataInfo.plist", "AppGroups", "AppGroups/a file", "AppGroups/group.a", "AppGroups/group.b", "Notes.txt",
                "Other", "Other/x",
            ])
        try UseCases.unpack(directory["a.capsule"], to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    @Test func aBareContainerGetsAnAppDataInfo() throws {
        let directory = try TemporaryDirectory()
        var tree = Self.appData
        tree[".com.apple.mobile_container_manager.metadata.plist"] = .file(plist(["MCMMetadataIdentifier": "com.example.app"]))
        try tree.make(at: directory["Data"])
        try UseCases.pack(directory["Data"], to: directory["a.capsule"])
        try UseCases.unpack(directory["a.capsule"], to: directory["back.xcappdata"])
        let back = try TreeLiteral(reading: directory["back.xcappdata"])
        #expect(back.below("AppData").differences(from: try TreeLiteral(reading: directory["Data"])) == [])
        let info = try PlistReader.read(Files.read(directory["back.xcappdata/AppDataInfo.plist"])).value.dictionary
        #expect(info?["CFBundleIdentifier"]?.string == "com.example.app")
        #expect(info?["bundleIdentifier"]?.string == "com.example.app")
        #expect(back.paths.count == tree.paths.count + 3)
    }

    @Test func nothingKnownMakesNoAppDataInfo() throws {
        let directory = try TemporaryDirectory()
        try Self.appData.make(at: directory["Data"])
        try UseCases.pack(directory["Data"], to: directory["a.capsule"])
        try UseCases.unpack(directory["a.capsule"], to: directory["back"])
        #expect(!Files.exists(directory["back/AppDataInfo.plist"]))
    }

    @Test func aContainerWithAppGroupsOfItsOwnIsRefused() throws {
        let directory = try TemporaryDirectory()
        var tree = Self.appData
        tree["AppGroups/x"] = .file()
        try tree.make(at: directory["Data"])
        let error = UseCases.failure { try UseCases.pack(directory["Data"], to: directory["a.capsule"]) }
        #expect(error?.message.contains("AppGroups") == true)
        #expect(error?.hint != nil)
        #expect(try directory.names == ["Data"])
        try UseCases.pack(directory["Data"], to: directory["a.capsule"]) {
            $0.container.excluded = [(try? Glob(Array("AppGroups".utf8)))].compactMap { $0 }
        }
    }

    /// In a bundle, `AppData/AppGroups` would be in the place of the bundle's groups.
    @Test func aBundleWhoseAppDataHasAppGroupsIsRefused() throws {
        let directory = try TemporaryDirectory()
        var tree = bundle(Self.appData)
        tree["AppData/AppGroups/x"] = .file()
        tree["AppGroups/g/x"] = .file()
        try tree.make(at: directory["A.xcappdata"])
        let error = UseCases.failure { try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"]) }
        #expect(error?.message.contains("AppGroups") == true)
        #expect(try directory.names == ["A.xcappdata"])
        try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"]) {
            $0.container.excluded = [(try? Glob(Array("AppGroups".utf8)))].compactMap { $0 }
        }
        #expect(try UseCases.describe(directory["a.capsule"]).groups == [Array("g".utf8)])
        #expect(try UseCases.verify(directory["a.capsule"]).findings == [])
    }

    @Test func groupsAreTakenFromWhereTheyAre() throws {
        let directory = try TemporaryDirectory()
        try bundle(Self.appData).make(at: directory["A.xcappdata"])
        let group: TreeLiteral = [
            "": .directory(mode: 0o700), "f": .file("group"), "d": .directory(),
            ".com.apple.mobile_container_manager.metadata.plist": .file("id"),
        ]
        try group.make(at: directory["Group"])
        for source in ["A.xcappdata", "A.xcappdata/AppData"] {
            try UseCases.pack(directory[source], to: directory["a.capsule"]) {
                $0.container.groups = [
                    (Array("group.z".utf8), directory.host("Group")), (Array("group.a".utf8), directory.host("Group")),
                ]
                $0.replaces = true
            }
            #expect(try UseCases.describe(directory["a.capsule"]).groups == ["group.a", "group.z"].map { Array($0.utf8) })
            #expect(try UseCases.verify(directory["a.capsule"]).findings == [])
            // The second one is of an unknown app, and never replaces the first.
            if Files.exists(directory["back"]) { try FileManager.default.removeItem(atPath: directory["back"]) }
            try UseCases.unpack(directory["a.capsule"], to: directory["back"])
            let back = try TreeLiteral(reading: directory["back"])
            #expect(group.differences(from: back.below("AppGroups/group.a")) == [])
            #expect(group.differences(from: back.below("AppGroups/group.z")) == [])
        }
        let twice = UseCases.failure {
            try UseCases.pack(directory["back"], to: directory["b.capsule"]) {
                $0.container.groups = [(Array("group.a".utf8), directory.host("Group"))]
            }
        }
        #expect(twice?.code == .usage)
        for identifier in ["..", "", "a/b", "."] {
            let error = UseCases.failure {
                try UseCases.pack(directory["A.xcappdata"], to: directory["b.capsule"]) {
                    $0.container.groups = [(Array(identifier.utf8), directory.host("Group"))]
                }
            }
            #expect(error?.code == .usage, "\(identifier)")
        }
        let plain = UseCases.failure {
            try UseCases.pack(directory["Group/d"], to: directory["b.capsule"]) {
                $0.container.groups = [(Array("group.a".utf8), directory.host("Group"))]
            }
        }
        #expect(plain?.code == .usage)
        #expect(!Files.exists(directory["b.capsule"]))
    }

    @Test func versionsAreNamedByTheArgument() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x")] as TreeLiteral).make(at: directory["t"])
        try UseCases.pack(directory["t"], to: directory["a.capsule"]) { $0.label = VersionLabel("before") }
        for version in ["1", "before", "latest", "first", "~0"] {
            #expect(try UseCases.list(directory["a.capsule@" + version]).count == 1)
        }
        for version in ["2", "~1", "after"] {
            #expect(UseCases.failure { try UseCases.list(directory["a.capsule@" + version]) }?.code == .notFound)
        }
        #expect(UseCases.failure { try UseCases.list(directory["a.capsule@not a version"]) }?.code == .usage)
        #expect(UseCases.failure { try UseCases.list(directory["missing.capsule@1"]) }?.code == .notFound)
        // A path that exists literally has priority.
        try UseCases.pack(directory["t"], to: directory["a.capsule@2"])
        #expect(try UseCases.list(directory["a.capsule@2"]).count == 1)
        let description = try UseCases.describe(directory["a.capsule"])
        #expect(description.capsule?.versions == 1 && description.capsule?.version == 1 && description.capsule?.format == "1.1")
        #expect(description.capsule?.manifest.label?.text == "before")
    }

    /// No file can have a name as long as this label, so it is a version.
    @Test func aVersionWhoseLabelIsLong() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x")] as TreeLiteral).make(at: directory["t"])
        let label = String(repeating: "l", count: 300)
        try UseCases.pack(directory["t"], to: directory["a.capsule"]) { $0.label = VersionLabel(label) }
        #expect(try UseCases.list(directory["a.capsule@" + label]).count == 1)
    }
}

extension String {
    /// The text as a path of a tree literal.
    var raw: TreeLiteral.RawPath { TreeLiteral.RawPath(Array(utf8)) }
}
