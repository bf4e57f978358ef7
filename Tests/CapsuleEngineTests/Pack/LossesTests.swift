import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import Foundation
import TestSupport
import Testing

/// Entries that can't be stored or are left out are recorded. Failures leave nothing behind.
@Suite struct LossesTests {
    private static func globs(_ patterns: String...) -> [Glob] { patterns.compactMap { try? Glob(Array($0.utf8)) } }

    private static func reasons(_ outcome: Packer.Outcome) -> [String: String] {
        Dictionary(uniqueKeysWithValues: outcome.manifest.omitted.map { (String(decoding: $0.path, as: UTF8.self), $0.reason) })
    }

    private static var special: TreeLiteral {
        [
            "Documents/pipe": .pipe, "Documents/f": .file("x"), "Library": .directory(), "a/first": .file("hard"),
            "b/second": .hardLink(to: "a/first"), "tmp/socket": .socket,
        ]
    }

    @Test(arguments: [false, true])
    func specialFilesAndHardLinks(isBundle: Bool) throws {
        let directory = try TemporaryDirectory()
        try (isBundle ? bundle(Self.special) : Self.special).make(at: directory["t"])
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"])
        let expected = [
            "Documents/pipe": "pipe", "b/second": "hard link to a/first, stored as a separate file", "tmp/socket": "socket",
        ]
        #expect(Self.reasons(outcome) == expected)
        #expect(try UseCases.describe(directory["t.capsule"]).omitted == outcome.manifest.omitted)
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(try TreeLiteral(reading: directory["back"])["AppData/b/second"] == .file("hard"))
    }

    @Test func strictRefusesLosses() throws {
        let directory = try TemporaryDirectory()
        try Self.special.make(at: directory["t"])
        let error = UseCases.failure { try UseCases.pack(directory["t"], to: directory["t.capsule"]) { $0.isStrict = true } }
        #expect(error?.message.hasPrefix("can't be stored: ") == true)
        #expect(error?.hint?.contains("--strict") == true)
        #expect(try directory.names == ["t"])
        // Entries that are left out on request are not losses.
        try UseCases.pack(directory["t"], to: directory["t.capsule"]) {
            $0.isStrict = true
            $0.container.excluded = Self.globs("**/pipe", "**/socket", "b/**")
        }
    }

    /// A source, and the directories in it that may have a transaction.
    static let transactions: [(tree: TreeLiteral, tops: [String], recorded: [String])] = [
        (["Documents/f": .file("x"), "Library": .directory()], [""], [".capsule-transaction"]),
        (["plain": .file("x")], [""], [".capsule-transaction"]),
        (
            ["AppData/Documents/f": .file("x"), "AppDataInfo.plist": .file(), "AppGroups/g/f": .file("y")],
            ["", "AppData/", "AppGroups/g/"],
            // The bundle's own directory, and its app data.
            [".capsule-transaction", ".capsule-transaction", "AppGroups/g/.capsule-transaction"]
        ),
    ]

    /// During a transaction, or after an unfinished one, a live tree may be neither the old one nor the new one.
    @Test(arguments: transactions.indices, ["journal", "leader"])
    func anUnfinishedTransactionIsNotRead(number: Int, name: String) throws {
        let (tree, tops, _) = Self.transactions[number]
        for top in tops {
            let directory = try TemporaryDirectory()
            var left = tree
            left["\(top).capsule-transaction/\(name)".raw] = .file("j")
            try left.make(at: directory["A"])
            let error = UseCases.failure { try UseCases.pack(directory["A"], to: directory["a.capsule"]) }
            #expect(error?.message.hasPrefix("a transaction is in progress or unfinished") == true)
            #expect(error?.hint?.contains("capsule recover") == true)
            #expect(!Files.exists(directory["a.capsule"]))
        }
    }

    /// The remains of a killed transaction are not content in any form, and are always recorded.
    @Test(arguments: transactions.indices, [false, true])
    func anUnfinishedTransactionIsLeftOutAndRecorded(number: Int, isArchive: Bool) throws {
        let (tree, tops, recorded) = Self.transactions[number]
        let directory = try TemporaryDirectory()
        var left = tree
        for top in tops {
            left["\(top).capsule-transaction/next".raw] = .file("j")
            left["\(top).capsule-transaction/new/1".raw] = .hardLink(to: Array("\(top).capsule-transaction/next".utf8))
            left["\(top).capsule-transaction/old/pipe".raw] = .pipe
        }
        // In deeper directories, the name has no meaning.
        let deep =
            number == 1
            ? "d/.capsule-transaction" : number == 0 ? "Library/.capsule-transaction" : "AppData/d/.capsule-transaction"
        var clean = tree
        clean[deep.raw] = .file("content")
        left[deep.raw] = .file("content")
        try left.make(at: directory["A"])
        try clean.make(at: directory["clean"])
        let source = directory[isArchive ? "A.tar" : "A"]
        if isArchive { #expect(try Tool.shell("tar cf A.tar A", in: directory.path).status == 0) }
        let outcome = try UseCases.pack(source, to: directory["a.capsule"])
        #expect(outcome.manifest.omitted == recorded.map { Omission(path: Array($0.utf8), reason: "unfinished transaction") })
        #expect(
            try outcome.manifest.treeDigest == UseCases.pack(directory["clean"], to: directory["b.capsule"]).manifest.treeDigest)
        #expect(try UseCases.verify(directory["a.capsule"]).findings == [])
        let strict = UseCases.failure { try UseCases.pack(source, to: directory["s.capsule"]) { $0.isStrict = true } }
        #expect(strict?.message == "can't be stored: unfinished transaction")
        #expect(!Files.exists(directory["s.capsule"]))
    }

    @Test func excludedIsRecorded() throws {
        let directory = try TemporaryDirectory()
        try bundle(["Library/Caches/x/y": .file(), "Library/k": .file(), "a.tmp": .file(), "d/b.tmp": .file()]).make(
            at: directory["t"])
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"]) {
            $0.container.excluded = Self.globs("Library/Caches/**", "*.tmp", "AppDataInfo.plist")
        }
        #expect(Self.reasons(outcome) == ["Library/Caches/x": "excluded", "a.tmp": "excluded"])
        #expect(
            try UseCases.list(directory["t.capsule"]).map { $0.path.description } == [
                "Library", "Library/Caches", "Library/k", "d", "d/b.tmp",
            ])
        // Patterns don't apply to the wrapper.
        #expect(try UseCases.list(directory["t.capsule"], ["AppDataInfo.plist"]).count == 1)
        // Omissions of a capsule's version stay recorded if only a part of it is packed.
        let part = try UseCases.pack(directory["t.capsule"], to: directory["u.capsule"]) {
            $0.container.excluded = Self.globs("d")
        }
        #expect(Set(Self.reasons(part).keys) == ["Library/Caches/x", "a.tmp", "d"])
        #expect(try UseCases.verify(directory["u.capsule"]).findings == [])
    }

    /// The manifest can hold recorded names with control characters.
    @Test func recordedNamesOfAnyBytes() throws {
        let directory = try TemporaryDirectory()
        try (["\u{1B}[31m": .file("x"), "z\u{7}": .hardLink(to: "\u{1B}[31m"), "\u{1}": .pipe] as TreeLiteral).make(
            at: directory["t"])
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"])
        #expect(Self.reasons(outcome) == ["\u{1}": "pipe", "z\u{7}": "hard link to \\u{1b}[31m, stored as a separate file"])
        #expect(try UseCases.describe(directory["t.capsule"]).omitted == outcome.manifest.omitted)
    }

    /// A directory on a file system that keeps long attributes; nil if there is none. Most keep only a few kilobytes.
    private static let spacious = [NSTemporaryDirectory(), "/dev/shm"].first { place in
        (try? FileSystemTraits.of(place))?.keepsLongAttributes == true
    }

    private static let keepsLong = ConditionTrait.enabled(
        if: spacious != nil, "no file system here keeps long extended attributes")

    private static let tooMany = [
        "user.d": [UInt8](repeating: 1, count: 100), "user.c": [UInt8](repeating: 2, count: 30_000),
        "user.b": [UInt8](repeating: 3, count: 30_000), "user.a": [UInt8](repeating: 4, count: 65_536),
    ]

    private static func tooLong(_ name: String, of path: String) -> Omission {
        let reason = "attribute \(name) exceeds 65536 bytes, or all attributes together exceed 98304"
        return Omission(path: Array(path.utf8), reason: reason)
    }

    /// With more attributes than an entry can have, the first ones by name are kept, in whatever order the file system lists them.
    @Test(keepsLong) func tooManyAttributesAreRecorded() throws {
        let directory = try TemporaryDirectory(in: Self.spacious)
        let tree: TreeLiteral = [
            "": .directory(attributes: Self.tooMany), "d": .directory(attributes: Self.tooMany),
            "f": .file("x", attributes: Self.tooMany), "g": .file("x", attributes: ["user.a": Self.tooMany["user.a"] ?? []]),
        ]
        try tree.make(at: directory["t"])
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"])
        #expect(outcome.manifest.omitted == ["", "d", "f"].map { Self.tooLong("user.c", of: $0) })
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        var kept = Self.tooMany
        kept["user.c"] = nil
        let expected = tree.mapping { path, node in
            if node.attributes.count > 1 { node.attributes = kept }
        }
        #expect(expected.differences(from: try TreeLiteral(reading: directory["back"])) == [])
        let strict = UseCases.failure { try UseCases.pack(directory["t"], to: directory["s.capsule"]) { $0.isStrict = true } }
        #expect(strict?.message.hasPrefix("can't be stored: attribute user.c ") == true)
        #expect(strict?.path == HostPath("."))
        #expect(!Files.exists(directory["s.capsule"]))
    }

    /// The named directory and a group's directory are listed like any other.
    @Test(keepsLong) func tooManyAttributesOfTheTopAreRecorded() throws {
        let directory = try TemporaryDirectory(in: Self.spacious)
        let top = TreeNode.directory(attributes: Self.tooMany)
        try (["": top, "Library": .directory(), "Documents/f": .file("x")] as TreeLiteral).make(at: directory["bare"])
        try (["": top, "f": .file("x")] as TreeLiteral).make(at: directory["group"])
        var whole = bundle(["f": .file("x")])
        whole[""] = top
        whole["AppData"] = top
        try whole.make(at: directory["b.xcappdata"])
        for (source, paths) in [("bare", ["AppData", "AppGroups/g"]), ("b.xcappdata", ["", "AppData", "AppGroups/g"])] {
            let outcome = try UseCases.pack(directory[source], to: directory[source + ".capsule"]) {
                $0.container.groups = [(Array("g".utf8), directory.host("group"))]
            }
            #expect(outcome.manifest.omitted == paths.map { Self.tooLong("user.c", of: $0) })
            #expect(try UseCases.describe(directory[source + ".capsule"]).omitted == outcome.manifest.omitted)
        }
    }

    @Test(.disabled(if: geteuid() == 0, "root can read everything; CLITests does this as another user"))
    func unreadableIsAnErrorOrRecorded() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x", mode: 0), "d/x": .file(), "d": .directory(mode: 0), "ok": .file("y")] as TreeLiteral).make(
            at: directory["t"])
        #expect(UseCases.failure { try UseCases.pack(directory["t"], to: directory["t.capsule"]) }?.path != nil)
        #expect(try directory.names == ["t"])
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"]) { $0.container.skipsUnreadable = true }
        #expect(Set(Self.reasons(outcome).keys) == ["f", "d"])
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
    }

    // MARK: Nothing is left behind

    @Test func packLeavesNothingBehind() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x")] as TreeLiteral).make(at: directory["t"])
        try Files.write("there", to: directory["there"])
        try FileManager.default.createSymbolicLink(atPath: directory["dangling"], withDestinationPath: "nowhere")
        try FileManager.default.createDirectory(atPath: directory["d"], withIntermediateDirectories: false)
        let before = try directory.names
        let failures: [(source: String, output: String, code: CapsuleError.Code)] = [
            ("t", "there", .exists), ("t", "dangling", .exists), ("t", "d", .exists), ("t", "missing/out", .notFound),
            ("missing", "out", .notFound),
            ("t", "t/out", .usage), ("t", "t/../t/out", .usage), ("there", "out", .unreadable), ("there/x", "out", .throughLink),
        ]
        for (source, output, code) in failures {
            let error = UseCases.failure { try UseCases.pack(directory[source], to: directory[output]) }
            #expect(error?.code == code, "\(source) to \(output): \(error?.message ?? "no error")")
            #expect(try directory.names == before)
        }
        #expect(try Files.read(directory["there"]) == Array("there".utf8))
        let forced = UseCases.failure { try UseCases.pack(directory["t"], to: directory["d"]) { $0.replaces = true } }
        #expect(forced?.code == .exists)
        #expect(try directory.names == before)
    }

    @Test func forceReplacesAFileAndALinkItself() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x")] as TreeLiteral).make(at: directory["t"])
        try Files.write("victim", to: directory["victim"])
        try FileManager.default.createSymbolicLink(atPath: directory["link"], withDestinationPath: "victim")
        try Files.write("old", to: directory["file"])
        for name in ["file", "link"] {
            try UseCases.pack(directory["t"], to: directory[name]) { $0.replaces = true }
            #expect(try UseCases.verify(directory[name]).isWhole)
        }
        #expect(try Files.read(directory["victim"]) == Array("victim".utf8))
        #expect(try directory.names == ["file", "link", "t", "victim"])
    }

    @Test func aPipeOrNothingIsNoContainer() throws {
        let directory = try TemporaryDirectory()
        try (["pipe": .pipe] as TreeLiteral).make(at: directory["t"])
        #expect(UseCases.failure { try UseCases.describe(directory["t/pipe"]) } != nil)
        #expect(UseCases.failure { try UseCases.verify(directory["t/pipe"]) } != nil)
        #expect(UseCases.failure { try UseCases.verify(directory["t"]) } != nil)
        #expect(UseCases.failure { try UseCases.verify(directory["missing"]) }?.code == .notFound)
        #expect(UseCases.failure { try UseCases.describe("") } != nil)
    }
}
