import Capsule
import CapsuleCore
import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Packing, unpacking, restoring and merging the sample containers, as a program that uses the library does.
@Suite struct ContainerTests {
    private static let before = Container(PackageFiles.samples + "/Gifs-before.xcappdata")
    private static let after = Container(PackageFiles.samples + "/Gifs-after.xcappdata")

    private static var comparison: ComparisonOptions {
        var options = ComparisonOptions()
        options.usesCache = false
        return options
    }

    private static var applying: ApplyingOptions {
        var options = ApplyingOptions()
        options.usesCache = false
        return options
    }

    private static var restoring: RestoringOptions {
        var options = RestoringOptions()
        options.usesCache = false
        return options
    }

    @Test func packsAndUnpacks() throws {
        let directory = try TemporaryDirectory()
        var options = PackingOptions()
        options.label = "before"
        options.note = "a note"
        let packed = try Self.before.pack(to: directory["a.capsule"], options)
        #expect(packed.version == 1)
        #expect(packed.entries > 10)
        #expect(packed.length > 0)
        #expect(packed.description == "\(directory["a.capsule"]): version 1 of \(packed.entries) entries")
        let second = try Self.after.append(to: directory["a.capsule"])
        #expect(second.version == 2)
        try Container(directory["a.capsule"] + "@before").unpack(to: directory["again.xcappdata"])
        let again = Container(directory["again.xcappdata"])
        #expect(try Self.before.difference(to: again, Self.comparison).withNoise.map(\.description) == [])
    }

    @Test func aLabelIsChecked() throws {
        let directory = try TemporaryDirectory()
        var options = PackingOptions()
        options.label = "two words"
        let error = #expect(throws: CapsuleError.self) { try Self.before.pack(to: directory["a.capsule"], options) }
        #expect(error?.code == .usage)
        #expect(try directory.names == [])
    }

    @Test func aLabelIsMovedOnlyIfAskedFor() throws {
        let directory = try TemporaryDirectory()
        var options = PackingOptions()
        options.label = "base"
        try Self.before.pack(to: directory["a.capsule"], options)
        #expect(throws: CapsuleError.self) { try Self.after.append(to: directory["a.capsule"], options) }
        options.movesLabel = true
        #expect(try Self.after.append(to: directory["a.capsule"], options).version == 2)
        let labeled = Container(directory["a.capsule"] + "@base")
        #expect(try Self.after.difference(to: labeled, Self.comparison).withNoise.isEmpty)
    }

    @Test func whatExistsIsNotReplaced() throws {
        let directory = try TemporaryDirectory()
        try Self.before.pack(to: directory["a.capsule"])
        let error = #expect(throws: CapsuleError.self) { try Self.after.pack(to: directory["a.capsule"]) }
        #expect(error?.code == .exists)
        #expect(error.map { "\($0)".contains("--") } == false)
        var options = PackingOptions()
        options.replaces = true
        try Self.after.pack(to: directory["a.capsule"], options)
    }

    @Test func aContainerThatIsNotThere() throws {
        let error = #expect(throws: CapsuleError.self) {
            try Container("/nothing/of/that/name").difference(to: Self.after, Self.comparison)
        }
        #expect(error?.code == .notFound)
        #expect(error?.path?.bytes == Array("/nothing/of/that/name".utf8))
    }

    @Test func namesThatAreNotText() throws {
        let named = Container(bytes: [0x61, 0xFF])
        #expect(named != Container("a"))
        #expect(!named.description.utf8.contains(0xFF))
        let literal: Container = "a.capsule@1"
        #expect(literal == Container("a.capsule@1"))
    }

    @Test func restoresAndUndoes() throws {
        let directory = try TemporaryDirectory()
        try Self.after.unpack(to: directory["live.xcappdata"])
        let live = Container(directory["live.xcappdata"])
        var options = Self.restoring
        options.isDryRun = true
        let wanted = try Self.before.restore(to: live, options)
        #expect(wanted.isChanged && !wanted.isWritten)
        #expect(wanted.description.hasPrefix("would change: "))
        options.isDryRun = false
        options.undo = directory["undo.capsule"]
        let changes = try Self.before.restore(to: live, options)
        #expect(changes.isWritten)
        #expect(changes.files == wanted.files && changes.deleted == wanted.deleted)
        #expect(try Array(Self.before.difference(to: live, Self.comparison)) == [])
        #expect(try Self.before.restore(to: live, Self.restoring).description == "nothing to change")
        try live.apply(directory["undo.capsule"], options: Self.applying)
        #expect(try Array(Self.after.difference(to: live, Self.comparison)) == [])
    }

    @Test func aCapsuleIsNoTarget() throws {
        let directory = try TemporaryDirectory()
        try Self.before.pack(to: directory["a.capsule"])
        #expect(throws: CapsuleError.self) {
            try Self.after.restore(to: Container(directory["a.capsule"]), Self.restoring)
        }
    }

    @Test func merges() throws {
        let directory = try TemporaryDirectory()
        try Self.before.unpack(to: directory["ours.xcappdata"])
        let preferences = directory["ours.xcappdata"] + "/AppData/Library/Preferences/com.example.gifs.plist"
        try Data("{\"theme\": \"light\"}".utf8).write(to: URL(fileURLWithPath: directory["theme.json"]))
        #expect(try PropertyListFile(preferences).apply(directory["theme.json"]).isWritten)
        let ours = Container(directory["ours.xcappdata"])
        let merged = try Self.before.merge(ours, Self.after, to: directory["both.capsule"])
        #expect(merged.isWritten)
        #expect(merged.conflicts.isEmpty)
        let theme = try Self.after.difference(to: Container(directory["both.capsule"]), Self.comparison)
        #expect(theme.map(\.pointer) == ["/theme"])
    }

    @Test func aMergeWithAConflictWritesNothing() throws {
        let directory = try TemporaryDirectory()
        try Self.before.unpack(to: directory["ours.xcappdata"])
        let preferences = directory["ours.xcappdata"] + "/AppData/Library/Preferences/com.example.gifs.plist"
        try Data("{\"launches\": 70}".utf8).write(to: URL(fileURLWithPath: directory["launches.json"]))
        try PropertyListFile(preferences).apply(directory["launches.json"])
        let ours = Container(directory["ours.xcappdata"])
        let merged = try Self.before.merge(ours, Self.after, to: directory["both.capsule"])
        #expect(!merged.isWritten)
        #expect(merged.conflicts.first?.description.contains("/launches") == true)
        #expect(!FileManager.default.fileExists(atPath: directory["both.capsule"]))
        #expect(try Self.before.merge(ours, Self.after, to: directory["both.capsule"], preferring: .theirs).isWritten)
    }

    @Test func whatPackingLeavesOutIsAWarning() throws {
        let directory = try TemporaryDirectory()
        var options = PackingOptions()
        options.excluded = ["Library/NoSuchName"]
        let packed = try Self.before.pack(to: directory["a.capsule"], options)
        #expect(packed.warnings == ["the pattern 'Library/NoSuchName' matches nothing"])
        try FileManager.default.createDirectory(atPath: directory["live"], withIntermediateDirectories: true)
        try Data("key".utf8).write(to: URL(fileURLWithPath: directory["live/key"]))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: directory["live/key"])
        #expect(mkfifo(directory["live/pipe"], 0o600) == 0)
        let left = try Container(directory["live"]).pack(to: directory["b.capsule"])
        #expect(left.warnings == ["1 entry was left out or altered"])
    }

    @Test func aDirectoryIsUnpackedAsADirectory() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory["plain"], withIntermediateDirectories: true)
        try Data("1".utf8).write(to: URL(fileURLWithPath: directory["plain/a"]))
        try Container(directory["plain"]).pack(to: directory["a.capsule"])
        #expect(try Container(directory["a.capsule"]).unpack(to: directory["again"]) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory["again"]) == ["a"])
    }

    @Test func aChangedModeIsCounted() throws {
        let directory = try TemporaryDirectory()
        for name in ["old", "new"] {
            try FileManager.default.createDirectory(atPath: directory[name], withIntermediateDirectories: true)
            try Data("1".utf8).write(to: URL(fileURLWithPath: directory[name] + "/a"))
            try FileManager.default.setAttributes(
                [.posixPermissions: name == "old" ? 0o600 : 0o644], ofItemAtPath: directory[name] + "/a")
        }
        let changes = try Container(directory["old"]).restore(to: Container(directory["new"]), Self.restoring)
        #expect(changes.metadata == 1)
        #expect(changes.description == "changed: 1 with changed metadata")
    }

    /// The pointers of an overlay reach into compressed data, as they do on the command line.
    @Test func overlaysThroughCompressedData() throws {
        let directory = try TemporaryDirectory()
        // `<plist version="1.0"><dict><key>count</key><integer>1</integer></dict></plist>`, compressed with Python's zlib.
        let packed = "eNqzKcjJLC5RKEstKs7Mz7NVMtQzULKzSclMLrGzyU6ttEvOL80rsdEHMW0y80pS01OL7Axt9GFMG32IUn2wMXYALSwbKw=="
        let list = "<plist version=\"1.0\"><dict><key>Packed</key><data>\(packed)</data></dict></plist>"
        try Data(list.utf8).write(to: URL(fileURLWithPath: directory["a.plist"]))
        let overlay = """
            {"CapsuleOverlay": 1, "Operations": [{"op": "replace", "path": "/Packed/<zlib>/<plist>/count", "value": 3}]}
            """
        try Data(overlay.utf8).write(to: URL(fileURLWithPath: directory["three.json"]))
        let file = PropertyListFile(directory["a.plist"])
        #expect(try file.apply(directory["three.json"]).isWritten)
        #expect(try file.apply(directory["three.json"]).description == "nothing to change")
    }

    @Test func aSkippedOverlayIsNoted() throws {
        let directory = try TemporaryDirectory()
        try Data("<plist version=\"1.0\"><dict/></plist>".utf8).write(to: URL(fileURLWithPath: directory["a.plist"]))
        let overlay = """
            {"CapsuleOverlay": 1, "When": {"CONFIGURATION": "Debug"}, "Operations": [{"op": "add", "path": "/a", "value": 3}]}
            """
        try Data(overlay.utf8).write(to: URL(fileURLWithPath: directory["debug.json"]))
        let changes = try PropertyListFile(directory["a.plist"]).apply(directory["debug.json"])
        #expect(!changes.isChanged)
        #expect(changes.notes == ["\(directory["debug.json"]): skipped: CONFIGURATION is not set"])
    }
}
