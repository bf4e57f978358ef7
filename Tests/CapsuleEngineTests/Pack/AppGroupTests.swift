import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleEngine

/// App groups in a bundle, in an archive of it, and given with their directories.
@Suite struct AppGroupTests {
    private static let inside = """
        mkdir -p ../AppGroups/group.b/Library ../AppGroups/group.d
        printf b > ../AppGroups/group.b/Library/b.txt
        printf i > ../AppGroups/group.b/.com.apple.mobile_container_manager.metadata.plist
        """

    @Test func archiveOfABundleWithGroups() throws {
        try Tool.need("tar")
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch, extra: Self.inside)
        _ = try Tool.shell("tar czf a.tar.gz com.example.app.xcappdata", in: scratch.path)
        let live = try packed(bundle, to: scratch("live.capsule"))
        let archived = try packed(scratch("a.tar.gz"), to: scratch("a.capsule"))
        #expect(live.manifest.groups == [Array("group.b".utf8), Array("group.d".utf8)])
        #expect(archived.manifest.groups == live.manifest.groups)
        #expect(archived.root.treeDigest == live.root.treeDigest)
        #expect(live.entries.contains { $0.kind == .identity && $0.root.groupNumber == 0 })
        _ = try Exporter().export(
            Container(Array(scratch("a.capsule").utf8)), paths: [Array("AppGroups/group.b".utf8)], as: .zip,
            to: HostPath(scratch("g.zip")))
        let part = try packed(scratch("g.zip"), to: scratch("g.capsule"))
        #expect(part.entries.contains { $0.path.description.hasSuffix("AppGroups/group.b/Library/b.txt") })
        #expect(!part.entries.contains { $0.path.description.contains("group.d") })
    }

    @Test(arguments: ["", "/AppData"])
    func givenGroups(_ below: String) throws {
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch, extra: Self.inside)
        try scratch.write("a", to: "A/a.txt")
        try scratch.write("c", to: "C/deep/c.txt")
        var options = PackOptions(captured: .epoch)
        options.container.groups = [
            (Array("group.c".utf8), HostPath(scratch("C"))), (Array("group.a".utf8), HostPath(scratch("A"))),
        ]
        _ = try Packer(options: options).pack(Container(Array("\(bundle)\(below)".utf8)), to: HostPath(scratch("a.capsule")))
        let version = try packedVersion(scratch("a.capsule"))
        let names = ["group.a", "group.b", "group.c", "group.d"].filter { below.isEmpty || $0 == "group.a" || $0 == "group.c" }
        #expect(version.manifest.groups == names.map { Array($0.utf8) })
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        for (path, name) in [("AppGroups/group.a/a.txt", "group.a"), ("AppGroups/group.c/deep/c.txt", "group.c")] {
            let entry = try #require(version.entries.first { $0.path.description == path })
            #expect(entry.root.groupNumber == numbers[name])
        }
        options.replaces = true
        options.container.groups = [(Array("group.b".utf8), HostPath(scratch("A")))]
        let again = failure {
            try Packer(options: options).pack(Container(Array(bundle.utf8)), to: HostPath(scratch("b.capsule")))
        }
        #expect(again?.code == .usage)
    }

    @Test func archivesTakeNoMoreGroups() throws {
        try Tool.need("tar")
        let scratch = try Scratch()
        _ = try SampleTree.writeBundle(scratch)
        _ = try Tool.shell("tar cf a.tar com.example.app.xcappdata", in: scratch.path)
        var options = PackOptions(captured: .epoch)
        options.container.groups = [(Array("group.a".utf8), HostPath(scratch.path))]
        let error = failure {
            try Packer(options: options).pack(Container(Array(scratch("a.tar").utf8)), to: HostPath(scratch("a.capsule")))
        }
        #expect(error?.code == .usage)
    }
}
