import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleEngine

/// Reading archives of one bundle.
@Suite struct ArchivedContainerTests {
    /// A command that makes an archive of `com.example.app.xcappdata` in the current directory, and the name of the source.
    struct Form: Sendable, CustomTestStringConvertible {
        let name: String
        let command: String
        let archive: String
        var kind = ContainerKind.bundle
        var tools: [String] = ["tar"]
        var testDescription: String { "\(name): \(command)" }
    }

    static let forms = [
        Form(name: "a.tar", command: "tar cf a.tar com.example.app.xcappdata", archive: "tar"),
        Form(name: "a.tar.gz", command: "tar czf a.tar.gz com.example.app.xcappdata", archive: "tar.gz"),
        Form(name: "a.pax", command: "tar --format=pax -cf a.pax com.example.app.xcappdata", archive: "tar"),
        Form(name: "a.gnu", command: "tar --format=gnu -S -cf a.gnu com.example.app.xcappdata", archive: "tar"),
        Form(name: "dot.tgz", command: "tar czf dot.tgz -C com.example.app.xcappdata .", archive: "tar.gz"),
        Form(name: "a.tar.xz", command: "tar cJf a.tar.xz com.example.app.xcappdata", archive: "tar.xz", tools: ["tar", "xz"]),
        Form(
            name: "a.tar.bz2", command: "tar cjf a.tar.bz2 com.example.app.xcappdata", archive: "tar.bz2",
            tools: ["tar", "bzip2"]),
        Form(
            name: "a.tar.zst", command: "tar c com.example.app.xcappdata | zstd -q > a.tar.zst", archive: "tar.zst",
            tools: ["tar", "zstd"]),
        Form(name: "b.tar", command: "bsdtar cf b.tar com.example.app.xcappdata", archive: "tar", tools: ["bsdtar"]),
        Form(
            name: "sparse.tar", command: "bsdtar --format=pax --read-sparse -cf sparse.tar com.example.app.xcappdata",
            archive: "tar", tools: ["bsdtar"]),
        Form(name: "a.zip", command: "zip -qyr a.zip com.example.app.xcappdata", archive: "zip", tools: ["zip"]),
        Form(name: "dot.zip", command: "cd com.example.app.xcappdata && zip -qyr ../dot.zip .", archive: "zip", tools: ["zip"]),
        Form(name: "app.tar", command: "tar cf app.tar -C com.example.app.xcappdata AppData", archive: "tar"),
        Form(
            name: "bare.tar", command: "tar cf bare.tar -C com.example.app.xcappdata/AppData .", archive: "tar", kind: .container),
        Form(
            name: "hub.tar.gz",
            command: "cp -a com.example.app.xcappdata/AppData com.example.app && tar czf hub.tar.gz com.example.app",
            archive: "tar.gz", kind: .deviceHub),
        Form(
            name: "sim.tar",
            command: "cp -a com.example.app.xcappdata/AppData 0F0E0D0C-0000-4000-8000-00000000ABCD && tar cf sim.tar 0F0E*",
            archive: "tar", kind: .simulator),
    ]

    @Test(arguments: forms)
    func sameTreeDigest(_ form: Form) throws {
        try Tool.need(form.tools)
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch)
        let run = try Tool.shell(form.command, in: scratch.path)
        try #require(run.status == 0, "\(run.output)")
        let live = try packed(bundle, to: scratch("live.capsule"))
        let archived = try packed(scratch(form.name), to: scratch("archived.capsule"))
        #expect(archived.root.treeDigest == live.root.treeDigest)
        #expect(archived.manifest.source.archive?.string == form.archive)
        #expect(archived.manifest.source.kind == form.kind)
        #expect(archived.manifest.source.bundleIdentifier?.string == "com.example.app")
        #expect(archived.manifest.name == Array("com.example.app".utf8) || form.name == "app.tar" || form.name.hasPrefix("dot"))
        #expect(archived.manifest.omitted.isEmpty)
    }

    /// The first header comes in two pieces, and so do the bytes that identify it.
    @Test(arguments: [1, 100, 511, 512, 513, 1_100])
    func theFirstMemberIsShort(length: Int) throws {
        try Tool.need("tar", "gzip", "zstd")
        let scratch = try Scratch()
        try scratch.write("content", to: "d/caf\u{e9}")
        _ = try Tool.shell(
            """
            tar --format=pax -cf a.tar d
            (head -c \(length) a.tar | gzip; tail -c +\(length + 1) a.tar | gzip) > a.tar.gz
            (head -c \(length) a.tar | zstd -q; tail -c +\(length + 1) a.tar | zstd -q) > a.tar.zst
            """, in: scratch.path)
        for name in ["a.tar.gz", "a.tar.zst"] {
            let archived = try packed(scratch(name), to: scratch("\(name).capsule"))
            #expect(archived.entries.map(\.path.description).contains { $0.hasSuffix("caf\u{e9}") })
        }
    }

    @Test func anotherLocaleChangesNothing() throws {
        try Tool.need("tar", "zip")
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch)
        _ = try Tool.shell("tar --format=pax -cf a.tar *.xcappdata; zip -qyr a.zip *.xcappdata", in: scratch.path)
        let live = try packed(bundle, to: scratch("live.capsule"))
        // The process has threads in a UTF-8 locale, which a user of the library may have set.
        try PlatformCalls.withLocale("C.UTF-8") {
            for name in ["a.tar", "a.zip"] {
                let archived = try packed(scratch(name), to: scratch("\(name).capsule"))
                #expect(archived.root.treeDigest == live.root.treeDigest)
            }
            #expect(PlatformCalls.isUTF8)
        }
    }

    @Test func finderZip() throws {
        try Tool.need("zip")
        let scratch = try Scratch()
        _ = try SampleTree.writeBundle(scratch)
        try scratch.write("attributes", to: "__MACOSX/com.example.app.xcappdata/._AppData")
        _ = try Tool.shell("zip -qyr a.zip com.example.app.xcappdata __MACOSX", in: scratch.path)
        let archived = try packed(scratch("a.zip"), to: scratch("a.capsule"))
        #expect(archived.manifest.source.kind == .bundle)
        #expect(archived.manifest.omitted.map(\.path) == [Array("__MACOSX".utf8)])
    }

    /// The attributes in AppleDouble files are unknown, not missing. A file that only has such a name is a file of the app.
    @Test func aMacsTar() throws {
        try Tool.need("tar")
        let scratch = try Scratch()
        let double: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0]
        for name in ["._a", "._lone", "._"] { try scratch.write(double, to: "Documents/" + name) }
        for name in ["a", "b", "._b"] { try scratch.write("content", to: "Documents/" + name) }
        _ = try Tool.shell("tar cf a.tar Documents", in: scratch.path)
        let opened = try Container(Array(scratch("a.tar").utf8)).open(ContainerOptions())
        let names = opened.entries.filter { $0.root == .tree }.map(\.path.description)
        #expect(names == ["Documents", "Documents/._", "Documents/._b", "Documents/._lone", "Documents/a", "Documents/b"])
        #expect(opened.entries.allSatisfy { $0.unknown.contains(.attributes) })
        #expect(opened.omitted.map(\.path) == [Array("Documents/._a".utf8)])
        #expect(opened.omitted.map(\.reason) == ["the attributes in 1 AppleDouble file are not read"])
    }

    @Test func storeApp() throws {
        try Tool.need("zip")
        let scratch = try Scratch()
        try scratch.write(SampleTree.info, to: "Payload/Some.app/Info.plist")
        _ = try Tool.shell("zip -qr Some.ipa Payload", in: scratch.path)
        let archived = try packed(scratch("Some.ipa"), to: scratch("a.capsule"))
        #expect(archived.manifest.layout == .directory)
        #expect(archived.manifest.source.archive?.string == "ipa")
        #expect(archived.manifest.name == Array("Some".utf8))
        #expect(archived.entries.map(\.path.description).contains("Payload/Some.app/Info.plist"))
    }

    @Test func hardLinksAndSpecialFiles() throws {
        try Tool.need("tar", "mkfifo")
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(
            scratch, extra: "ln Documents/a.txt Documents/second; mkfifo Documents/pipe")
        _ = try Tool.shell("tar cf a.tar com.example.app.xcappdata", in: scratch.path)
        let live = try packed(bundle, to: scratch("live.capsule"))
        let archived = try packed(scratch("a.tar"), to: scratch("a.capsule"))
        #expect(archived.root.treeDigest == live.root.treeDigest)
        let reasons = archived.manifest.omitted.map { "\(String(decoding: $0.path, as: UTF8.self)): \($0.reason)" }
        #expect(reasons.contains("Documents/pipe: pipe"))
        #expect(reasons.contains { $0.contains("hard link to Documents/") && $0.hasSuffix(", stored as a separate file") })
    }

    @Test func attributesInPaxHeaders() throws {
        try Tool.need("python3")
        let scratch = try Scratch()
        try scratch.write(
            """
            import tarfile, io
            t = tarfile.open('a.tar', 'w', format=tarfile.PAX_FORMAT)
            i = tarfile.TarInfo('top/f')
            i.size = 1
            i.mtime = 1700000000.25
            i.pax_headers = {
                'SCHILY.xattr.user.com.apple.metadata:x': 'one', 'SCHILY.xattr.com.apple.y': 'tw\\no',
                'SCHILY.xattr.com.apple.quarantine': 'no', 'SCHILY.xattr.security.selinux': 'no',
                'SCHILY.xattr.user.long': 'v' * 70000, 'LIBARCHIVE.xattr.com.apple.y': 'dHcKbw=='}
            t.addfile(i, io.BytesIO(b'x'))
            t.close()
            """, to: "make.py")
        let run = try Tool.shell("python3 make.py", in: scratch.path)
        try #require(run.status == 0, "\(run.output)")
        let archived = try packed(scratch("a.tar"), to: scratch("a.capsule"))
        let entry = try #require(archived.entries.first { $0.kind == .file })
        #expect(
            entry.attributes == [
                ExtendedAttribute(name: Array("com.apple.metadata:x".utf8), value: Array("one".utf8)),
                ExtendedAttribute(name: Array("com.apple.y".utf8), value: Array("tw\no".utf8)),
            ])
        #expect(entry.modified == Timestamp(seconds: 1_700_000_000, nanoseconds: 250_000_000))
        #expect(archived.manifest.omitted.map(\.reason) == [Self.tooLong("user.long")])
    }

    private static func tooLong(_ name: String) -> String {
        "attribute \(name) exceeds 65536 bytes, or all attributes together exceed 98304"
    }

    /// Long attributes of the container's own directory are recorded, too, so that nothing is dropped silently.
    @Test(arguments: [
        ("t", ["f"], ""), ("t", ["Library/x", "tmp/y"], "AppData"), ("t.xcappdata", ["AppData/f"], ""), (".", ["f"], ""),
    ])
    func longAttributesOfTheTopAreRecorded(top: String, files: [String], recorded: String) throws {
        try Tool.need("python3")
        let scratch = try Scratch()
        try scratch.write(
            """
            import io, sys, tarfile
            top, *files = sys.argv[1:]
            t = tarfile.open('a.tar', 'w', format=tarfile.PAX_FORMAT)
            i = tarfile.TarInfo(top)
            i.type = tarfile.DIRTYPE
            i.pax_headers = {'SCHILY.xattr.user.a': 'v' * 60000, 'SCHILY.xattr.user.b': 'v' * 60000}
            t.addfile(i)
            for name in files:
                i = tarfile.TarInfo(top + '/' + name)
                t.addfile(i, io.BytesIO(b''))
            t.close()
            """, to: "make.py")
        let run = try Tool.shell("python3 make.py \(top) \(files.joined(separator: " "))", in: scratch.path)
        try #require(run.status == 0, "\(run.output)")
        let archived = try packed(scratch("a.tar"), to: scratch("a.capsule"))
        #expect(archived.manifest.omitted.count == 1)
        #expect(archived.manifest.omitted.first?.path == Array(recorded.utf8))
        #expect(archived.manifest.omitted.first?.reason.hasPrefix("attribute user.") == true)
        let directory = try #require(archived.entries.first { $0.root == .wrapper && $0.path.bytes == Array(recorded.utf8) })
        #expect(directory.attributes.count == 1)
    }

    @Test func fiveGigabytesOfHolesTakeNoRoom() throws {
        try Tool.need("tar", "truncate")
        let scratch = try Scratch()
        let script =
            "mkdir top && truncate -s 5G top/image && printf end | dd of=top/image bs=1 seek=3000000000 conv=notrunc 2>/dev/null"
        _ = try Tool.shell("\(script) && tar -S -czf a.tar.gz top", in: scratch.path)
        let file = try CapsuleFile(opening: HostPath(scratch("a.tar.gz")))
        let archive = try ForeignArchive.read(file)
        let entry = try #require(archive.listing.entries.first { $0.kind == .file })
        #expect(entry.size == 5 << 30)
        let data = try #require(archive.content.nextData(of: 0, from: 0))
        #expect(data > 2_999_000_000 && data <= 3_000_000_000)
        #expect(archive.content.nextData(of: 0, from: 3_000_100_000) == nil)
    }

    @Test(arguments: ["Documents/*.txt", "Library", "**/holes.bin", "AppData", "*"])
    func exclusionIsTheSameForAllForms(_ pattern: String) throws {
        try Tool.need("tar")
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch)
        _ = try Tool.shell("tar czf a.tar.gz com.example.app.xcappdata", in: scratch.path)
        _ = try packed(bundle, to: scratch("whole.capsule"))
        let live = try packed(bundle, to: scratch("live.capsule"), excluding: [pattern])
        let archived = try packed(scratch("a.tar.gz"), to: scratch("archived.capsule"), excluding: [pattern])
        let again = try packed(scratch("whole.capsule"), to: scratch("again.capsule"), excluding: [pattern])
        let omitted = Set(live.manifest.omitted)
        for other in [archived, again] {
            #expect(other.root.treeDigest == live.root.treeDigest)
            #expect(Set(other.manifest.omitted) == omitted)
        }
    }
}
