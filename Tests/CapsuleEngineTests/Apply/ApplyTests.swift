import CapsuleCore
import CapsuleTransaction
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers
@testable import CapsuleEngine

/// Paths of another installation, in the files of containers of every form.
@Suite struct ContainerPathRebaserTests {
    private static let old = "/var/mobile/Containers/Data/Application/11111111-2222-4333-8444-555555555555"
    private static let target =
        "/Users/me/Library/Developer/CoreSimulator/Devices/AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE/data/Containers/Data/Application/99999999-8888-4777-8666-555555555555"

    private static func list(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat = .binary) throws -> [UInt8] {
        [UInt8](try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0))
    }

    /// Makes a container with paths in files that are searched, and in files that are not.
    private static func container() throws -> Scratch {
        let scratch = try Scratch()
        let path = ["path": old + "/Documents/a"]
        try scratch.write(try list(path, .xml), to: "C/Library/Preferences/com.example.app.plist")
        try scratch.write(try list(["here": target + "/a", "more": [old, old + "/b"]]), to: "C/Documents/state")
        try scratch.write(
            try list(["group": "/private/var/mobile/Containers/Shared/AppGroup/11111111-2222-4333-8444-555555555555/x"]),
            to: "C/Documents/groups.plist")
        try scratch.write(
            try list(path), to: "C/Library/Saved Application State/a.savedState/KnownSceneSessions/data.data")
        for name in ["Library/Caches/0123456789", "tmp/upload", "Documents/picture.jpg"] {
            try scratch.write(try list(path), to: "C/" + name)
        }
        try scratch.write(old + " in a text", to: "C/Documents/notes")
        try scratch.write(Array(try list(path).dropLast(3)), to: "C/Documents/torn.plist")
        try scratch.write(try list(["nothing": String(repeating: "x", count: 99)]), to: "C/Documents/plain.plist")
        return scratch
    }

    private static let changed = [
        "Documents/state", "Library/Preferences/com.example.app.plist",
        "Library/Saved Application State/a.savedState/KnownSceneSessions/data.data",
    ]

    @Test(arguments: ["C", "c.capsule", "c.tar"], [1, 3])
    func filesAreFoundAndRewritten(form: String, jobs: Int) throws {
        let scratch = try Self.container()
        if form == "c.capsule" { _ = try packed(scratch("C"), to: scratch(form)) }
        if form == "c.tar" {
            try Tool.need("tar")
            try #require(try Tool.shell("tar cf c.tar C", in: scratch.path).status == 0)
        }
        let container = try Container(Array(scratch(form).utf8)).open(ContainerOptions())
        let (rebased, report) = try ContainerPathRebaser(target: HostPath(Self.target)).rebase(container, jobs: jobs)
        func isRewritten(_ file: ContainerPathRebaser.File) -> Bool { file.bytes != nil }
        #expect(Set(report.files.filter(isRewritten).map(\.path.description)) == Set(Self.changed))
        #expect(report.files.filter { !isRewritten($0) }.map(\.path.description) == ["Documents/groups.plist"])
        #expect(report.paths == 4)
        #expect(report.notes.isEmpty)
        #expect(rebased.entries.map(\.path) == container.entries.map(\.path))

        let reader = rebased.makeReader()
        for (number, entry) in rebased.entries.enumerated() where entry.kind == .file && entry.root == .tree {
            let bytes = try reader.bytes(of: entry, number: number, in: 0..<entry.size)
            let before = container.entries[number]
            #expect(entry.modified == before.modified && entry.mode == before.mode)
            guard Self.changed.contains(entry.path.description) else {
                #expect(try bytes == scratch.read("C/" + entry.path.description), "\(entry.path)")
                #expect(entry.size == before.size && entry.digest == before.digest)
                continue
            }
            let text = "\(try PropertyListSerialization.propertyList(from: Data(bytes), format: nil))"
            #expect(!text.contains(Self.old) && text.contains(Self.target), "\(entry.path)")
            #expect(UInt64(bytes.count) == entry.size)
        }
        // Paths that were rewritten once are not rewritten again.
        #expect(try ContainerPathRebaser(target: HostPath(Self.target)).report(on: rebased).paths == 0)
    }

    /// Only the requested entries are searched.
    @Test func onlySomeEntries() throws {
        let scratch = try Self.container()
        let container = try Container(Array(scratch("C").utf8)).open(ContainerOptions())
        let number = try #require(container.entries.firstIndex { $0.path.description == "Documents/state" })
        let rebasing = try ContainerPathRebaser(target: HostPath(Self.target))
        #expect(try rebasing.report(on: container, numbers: [number]).files.map(\.number) == [number])
        #expect(try rebasing.report(on: container, numbers: []).files.isEmpty)
    }

    /// Long property lists are reported but not read.
    @Test func longListsArePassedOver() throws {
        let scratch = try Scratch()
        try scratch.write("<?xml version=\"1.0\"?>", to: "C/Documents/long.plist")
        try scratch.write("x", to: "C/Library/x")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch("C/Documents/long.plist")))
        try handle.truncate(atOffset: ContainerPathRebaser.longest + 1)
        try handle.close()
        let container = try Container(Array(scratch("C").utf8)).open(ContainerOptions())
        let report = try ContainerPathRebaser(target: HostPath("/t")).report(on: container)
        #expect(report.files.isEmpty)
        #expect(report.notes == ["Documents/long.plist: too large to search for paths of another installation"])
    }

    @Test func targetsMustBePaths() {
        #expect(failure { try ContainerPathRebaser(target: HostPath("here")) }?.code == .usage)
    }
}

/// Stopping an app before its container changes.
@Suite struct StoppingTests {
    private static let udid = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
    private static let place = "\(udid)/data/Containers/Data/Application/11111111-2222-4333-8444-555555555555"

    /// Files that the app writes when it ends are listed. By then the directory is locked, and its app is known.
    @Test func isStoppedBeforeAnythingIsListed() throws {
        let directory = try TemporaryDirectory()
        let identity = try PropertyListSerialization.data(
            fromPropertyList: ["MCMMetadataIdentifier": "com.example.gifs"], format: .binary, options: 0)
        let tree: TreeLiteral = [
            "Library/before": .file("x"), "Documents": .directory(),
            ".com.apple.mobile_container_manager.metadata.plist": .file(Array(identity)),
        ]
        let path = HostPath(directory[Self.place])
        try FileManager.default.createDirectory(
            atPath: String(directory[Self.place].dropLast(37)), withIntermediateDirectories: true)
        try tree.make(at: directory[Self.place])
        var advised: SimulatorAdvice?
        var other: CapsuleError?
        let target = try LiveTarget(path, ContainerOptions(), for: .write) { (advice) throws(CapsuleError) in
            advised = advice
            other = failure { try LiveTarget(path, ContainerOptions(), for: .write, timeout: 0) }
            _ = try? Files.write("flushed", to: directory[Self.place] + "/Library/flushed")
        }
        #expect(advised?.udid == Self.udid)
        #expect(advised?.bundleIdentifier == "com.example.gifs")
        #expect(advised == target.advice)
        #expect(other?.message == "another transaction is in progress")
        let listed = target.container.entries.map(\.path.description)
        #expect(listed.contains("Library/before") && listed.contains("Library/flushed"))
    }

    @Test func isOnNoSimulatorElsewhere() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["Library/before": .file("x"), "Documents": .directory()]
        try tree.make(at: directory["live"])
        var advised: [SimulatorAdvice?] = []
        _ = try LiveTarget(directory.host("live"), ContainerOptions(), for: .write) {
            (advice) throws(CapsuleError) in
            advised.append(advice)
        }
        #expect(advised == [nil])
    }
}

/// The plan that turns a directory into another one.
@Suite struct TargetPlannerTests {
    @Test func countsWhatItDoes() throws {
        let directory = try TemporaryDirectory()
        let before: TreeLiteral = ["a": .file("one"), "b": .file("two"), "c": .file("c"), "d": .file("d")]
        let after: TreeLiteral = [
            "a": .file("1"), "b": .file("two", mode: 0o600), "d": .file("d"), "e": .directory(), "e/f": .file("new"),
        ]
        try before.make(at: directory["live"])
        try after.make(at: directory["wanted"])
        let target = try LiveTarget(directory.host("live"), ContainerOptions(), for: .check)
        let wanted = try Container(Array(directory["wanted"].utf8)).open(ContainerOptions())
        var planner = TargetPlanner(target, to: wanted, jobs: 1)
        let counts = ApplyCounts(try planner.plan().changes)
        #expect(counts.written == 2)
        #expect(counts.bytes == 4)
        #expect(counts.made == 1)
        #expect(counts.facts == 1)
        #expect(counts.deleted == 1)
    }
}
