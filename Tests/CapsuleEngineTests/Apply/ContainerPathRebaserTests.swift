import CapsuleCore
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
