import CapsuleContainers
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct UnpackerTests {
    /// Makes a bundle with groups, packed as `a.capsule`.
    private static func packed(_ directory: TemporaryDirectory) throws -> TreeLiteral {
        var tree = bundle(
            [
                "Documents/a/b/c": .file("deep"), "Documents/x": .file("x", mode: 0o600), "Library": .directory(mode: 0o555),
                "Library/y": .link("../x"),
            ], identity: "com.x")
        tree["AppGroups/group.a/f"] = .file("group")
        tree["AppGroups/group.a/.com.apple.mobile_container_manager.metadata.plist"] = .file("id")
        tree["Notes"] = .file("beside")
        tree[""] = .directory(mode: 0o750, at: Timestamp(seconds: 5))
        tree["AppData"] = .directory(mode: 0o711, at: Timestamp(seconds: 6))
        try tree.make(at: directory["A.xcappdata"])
        try UseCases.pack(directory["A.xcappdata"], to: directory["a.capsule"])
        return tree
    }

    @Test(arguments: [nil, UnpackOptions.Form.bundle])
    func asABundle(form: UnpackOptions.Form?) throws {
        let directory = try TemporaryDirectory()
        let tree = try Self.packed(directory)
        let outcome = try UseCases.unpack(directory["a.capsule"], to: directory["out"]) { $0.form = form }
        #expect(tree.differences(from: try TreeLiteral(reading: directory["out"])) == [])
        #expect(outcome.notes == [])
        #expect(outcome.entries == UInt64(tree.paths.count))
    }

    @Test func asAContainer() throws {
        let directory = try TemporaryDirectory()
        let tree = try Self.packed(directory)
        let outcome = try UseCases.unpack(directory["a.capsule"], to: directory["out"]) { $0.form = .container }
        #expect(tree.below("AppData").differences(from: try TreeLiteral(reading: directory["out"])) == [])
        #expect(outcome.notes == ["app group group.a skipped: a bare container can't include app groups"])
    }

    @Test func asADirectory() throws {
        let directory = try TemporaryDirectory()
        let tree = try Self.packed(directory)
        try UseCases.unpack(directory["a.capsule"], to: directory["out"]) { $0.form = .directory }
        var expected = tree.below("AppData")
        expected[".com.apple.mobile_container_manager.metadata.plist"] = nil
        expected["AppGroups"] = tree["AppGroups"]
        expected["AppGroups/group.a"] = tree["AppGroups/group.a"]
        expected["AppGroups/group.a/f"] = tree["AppGroups/group.a/f"]
        #expect(expected.differences(from: try TreeLiteral(reading: directory["out"])) == [])
    }

    @Test func aPlainDirectoryKnowsOnlyDirectory() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file()] as TreeLiteral).make(at: directory["t"])
        try UseCases.pack(directory["t"], to: directory["t.capsule"])
        for form in [UnpackOptions.Form.bundle, .container] {
            #expect(
                UseCases.failure { try UseCases.unpack(directory["t.capsule"], to: directory["out"]) { $0.form = form } }?.code
                    == .usage)
        }
        #expect(!Files.exists(directory["out"]))
    }

    /// Unpacks the parts of the bundle at the requested paths.
    @Test(arguments: [
        (
            ["Documents/a/b"],
            ["", "AppData", "AppData/Documents", "AppData/Documents/a", "AppData/Documents/a/b", "AppData/Documents/a/b/c"]
        ),
        (
            ["Documents/x", "./Library/"],
            ["", "AppData", "AppData/Documents", "AppData/Documents/x", "AppData/Library", "AppData/Library/y"]
        ),
        (["Library/y"], ["", "AppData", "AppData/Library", "AppData/Library/y"]), (["Notes"], ["", "Notes"]),
        (["AppGroups/group.a/f"], ["", "AppGroups", "AppGroups/group.a", "AppGroups/group.a/f"]),
        (
            [".com.apple.mobile_container_manager.metadata.plist"],
            ["", "AppData", "AppData/.com.apple.mobile_container_manager.metadata.plist"]
        ),
    ])
    func selectionComesWithItsDirectories(paths: [String], expected: [String]) throws {
        let directory = try TemporaryDirectory()
        let tree = try Self.packed(directory)
        try UseCases.unpack(directory["a.capsule"], to: directory["out"]) {
            $0.paths = paths.map { Array($0.utf8) }
            $0.keepsTree = true
        }
        let found = try TreeLiteral(reading: directory["out"])
        #expect(found.paths.map(\.description) == expected)
        for path in found.paths { #expect(found[path] == tree[path], "\(path)") }
    }

    @Test(arguments: ["nowhere", "Documents/nowhere", "AppData/Documents", "", "/Documents", "Documents/../x"])
    func aPathThatIsNowhereIsAnError(path: String) throws {
        let directory = try TemporaryDirectory()
        _ = try Self.packed(directory)
        let error = UseCases.failure {
            try UseCases.unpack(directory["a.capsule"], to: directory["out"]) { $0.paths = [Array(path.utf8)] }
        }
        #expect(error?.code == .notFound || error?.code == .usage)
        #expect(try directory.names == ["A.xcappdata", "a.capsule"])
    }

    @Test func intoADirectoryUnderItsName() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.packed(directory)
        var options = UnpackOptions()
        for (form, name) in [(nil, "A.xcappdata"), (.container, "A"), (.directory, "A")] as [(UnpackOptions.Form?, String)] {
            options.form = form
            let place = form == .directory ? "other/" : "new/dir/"
            let outcome = try Unpacker(options: options).unpack(
                UseCases.container(directory["a.capsule"]), to: .into(directory.host(place)))
            #expect(outcome.path == directory.host(place + name))
            #expect(Files.exists(directory[place + name]))
        }
    }

    // MARK: What is there

    @Test func nothingIsReplacedUnasked() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.packed(directory)
        let there: TreeLiteral = [
            "file": .file("f"), "link": .link("elsewhere"), "dangling": .link("nowhere"), "dir/x": .file("x"),
            "elsewhere": .directory(), "pipe": .pipe,
        ]
        try there.make(at: directory["there"])
        for name in ["file", "link", "dangling", "dir", "elsewhere", "pipe"] {
            let error = UseCases.failure { try UseCases.unpack(directory["a.capsule"], to: directory["there/" + name]) }
            #expect(error?.code == .exists)
            #expect(error?.hint?.contains("--force") == !["pipe", "dir", "file"].contains(name))
        }
        #expect(there.differences(from: try TreeLiteral(reading: directory["there"])) == [])
    }

    @Test(arguments: [
        ("pipe", "is not a regular file, and is never replaced"), ("file", "is a file, and is never replaced by a directory"),
    ])
    func forceReplacesNoPipeAndNoFile(name: String, message: String) throws {
        let directory = try TemporaryDirectory()
        _ = try Self.packed(directory)
        let there: TreeLiteral = ["pipe": .pipe, "file": .file("f")]
        try there.make(at: directory["there"])
        let error = UseCases.failure {
            try UseCases.unpack(directory["a.capsule"], to: directory["there/" + name]) { $0.replaces = true }
        }
        #expect(error?.code == .exists)
        #expect(error?.message == message)
        #expect(there.differences(from: try TreeLiteral(reading: directory["there"])) == [])
    }

    @Test(arguments: ["link", "dangling", "dir", "elsewhere"])
    func forceReplacesAsAWholeAndThroughNoLink(name: String) throws {
        let directory = try TemporaryDirectory()
        let tree = try Self.packed(directory)
        let elsewhere: TreeLiteral = ["keep/f": .file("untouched"), "Documents": .link("keep")]
        var there = elsewhere.placed(at: "other")
        there["link"] = .link("other")
        there["dangling"] = .link("nowhere")
        there["dir/AppData/.com.apple.mobile_container_manager.metadata.plist"] =
            tree["AppData/.com.apple.mobile_container_manager.metadata.plist"]
        there["dir/AppDataInfo.plist"] = tree["AppDataInfo.plist"]
        there["dir/AppData/Documents"] = .link("../../other")
        there["dir/AppData/Library/old"] = .file("old")
        there["elsewhere"] = .directory(mode: 0o555)
        try there.make(at: directory["there"])
        try UseCases.unpack(directory["a.capsule"], to: directory["there/" + name]) { $0.replaces = true }
        let found = try TreeLiteral(reading: directory["there"])
        #expect(tree.differences(from: found.below(name.raw)) == [])
        #expect(elsewhere.differences(from: found.below("other")) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory["there"]).count == 5)
    }

    @Test func aFailureKeepsWhatWasThere() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.packed(directory)
        let there: TreeLiteral = ["out/AppData/Documents/x": .file("kept")]
        try there.make(at: directory["there"])
        var bytes = try Files.read(directory["a.capsule"])
        bytes[60] ^= 0xFF
        try Files.write(bytes, to: directory["damaged.capsule"])
        #expect(
            UseCases.failure {
                try UseCases.unpack(directory["damaged.capsule"], to: directory["there/out"]) { $0.replaces = true }
            } != nil)
        #expect(there.differences(from: try TreeLiteral(reading: directory["there"])) == [])
    }

    // MARK: Modes

    @Test(arguments: [
        (1, "1 extended attribute not set, because the file system rejects it: user.x of a/b"),
        (2, "2 extended attributes not set, because the file system rejects them, first user.x of a/b"),
    ])
    func refusedAttributesAreCounted(count: Int, note: String) throws {
        let path = try RelativePath(validating: Array("a/b".utf8))
        #expect(UnpackOutcome.note(onRefused: count, first: Array("user.x".utf8), of: path) == note)
    }

    @Test(.enabled(if: FileSystemTraits.temporary.keepsSetuid, "this system does not let the test set the setuid bit"))
    func setuidSetgidAndStickyAreReported() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "": .directory(), "setuid": .file("x", mode: 0o4755), "sticky file": .file("x", mode: 0o1644),
            "d": .directory(mode: 0o1777), "plain": .file("x", mode: 0o755),
        ]
        try tree.make(at: directory["t"])
        try UseCases.pack(directory["t"], to: directory["t.capsule"])
        #expect(try UseCases.list(directory["t.capsule"]).first { $0.path.description == "setuid" }?.mode.rawValue == 0o4755)
        let outcome = try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(outcome.notes.count == 1)
        #expect(outcome.notes.first?.hasPrefix("2 entries without their setuid, setgid or sticky bit") == true)
        let expected = tree.mapping { path, node in
            if path == "setuid" { node.mode = 0o755 }
            if path == "sticky file" { node.mode = 0o644 }
        }
        #expect(expected.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    @Test(arguments: [0o400, 0o444, 0o555, 0o600, 0o666, 0o700, 0o777] as [UInt16])
    func modesComeBackWhateverTheMask(mode: UInt16) throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "": .directory(mode: mode | 0o500), "f": .file("x", mode: mode), "d": .directory(mode: mode | 0o500),
            "d/f": .file("y", mode: mode), "d/e": .directory(mode: mode | 0o500),
        ]
        try tree.make(at: directory["t"])
        try UseCases.pack(directory["t"], to: directory["t.capsule"])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    // MARK: Printing

    @Test func whatIsNoFileIsNotPrinted() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.packed(directory)
        for source in ["a.capsule", "A.xcappdata"] {
            let printer = FilePrinter(UseCases.container(directory[source]))
            for path in ["Documents", "Library/y", "nowhere", "../x", "AppGroups/group.a"] {
                let error = UseCases.failure {
                    try printer.print(Array(path.utf8), to: HostProcess().output, refusingBinary: false)
                }
                #expect(error != nil, "\(path) of \(source)")
            }
        }
    }

    /// Names are tested in the staging of the result. Nothing of the test may stay in the result.
    @Test func anUnpackedTreeHasNoMoreThanTheCapsule() throws {
        let directory = try TemporaryDirectory()
        var tree: TreeLiteral = ["A": .file("1"), "a": .file("2"), "d/README": .file("3"), "d/readme": .file("4")]
        do {
            try tree.make(at: directory["t"])
        } catch {
            // This file system can't have these names. The test scripts check that they are refused.
            tree = ["A": .file("1"), "d/README": .file("3")]
            try tree.make(at: directory["u"])
        }
        let source = Files.exists(directory["u"]) ? directory["u"] : directory["t"]
        try UseCases.pack(source, to: directory["a.capsule"])
        try UseCases.unpack(directory["a.capsule"], to: directory["out"])
        #expect(
            try TreeLiteral(reading: source).differences(from: try TreeLiteral(reading: directory["out"])) == [])
    }
}
