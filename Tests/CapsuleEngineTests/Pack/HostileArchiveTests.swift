import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsuleRules
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

/// The archives from `Tests/Tools/make_hostile.py`. Each is packed or refused as its list says, in time, and the error names the
/// entry.
@Suite struct HostileArchiveTests {
    struct Row: Decodable, Sendable {
        let file: String
        let pack: String
        let names: String?
        let decided: Bool
    }

    /// Cases that the list leaves open, and in which the reader differs from the list's suggestion.
    static let decidedOtherwise: [String: String] = [
        "tar-hard-link-with-data.tar": "refuse",  // Plain ustar: the bytes behind it are no header.
        "tar-size-not-octal.tar": "ok",  // libarchive takes what is no number for 0.
        "tar-directory-with-size.tar": "refuse",  // What follows is no header.
        "bomb-gzip.tar.gz": "refuse",  // 20 GiB out of 20 MiB, holes or not.
    ]
    static let timeLimit = 20.0

    @Test func eachAsItsListSays() throws {
        try Tool.need("python3")
        let scratch = try Scratch()
        // Bombs that take long to make or to read are tested separately, below.
        let python = try #require(Tool("python3"))
        let run = try python([PackageFiles.tools + "/make_hostile.py", scratch("out"), "--no-bombs"])
        try #require(run.status == 0, "\(run.output)")
        let rows = try JSONDecoder().decode([Row].self, from: Data(try scratch.read("out/expect.json")))
        #expect(rows.count > 150)
        for row in rows { try check(row, scratch) }
    }

    private func check(_ row: Row, _ scratch: Scratch) throws {
        let output = scratch("\(row.file).capsule")
        let begin = Date()
        var version: StoredVersion?
        let error = failure { version = try packed(scratch("out/\(row.file)"), to: output) }
        #expect(Date().timeIntervalSince(begin) < Self.timeLimit, "\(row.file)")
        let wanted = row.decided ? row.pack : Self.decidedOtherwise[row.file] ?? row.pack
        let comment = Comment(
            rawValue: "\(row.file): \(error.map { "\($0.message) \($0.path.map(\.description) ?? "")" } ?? "packed")")
        if wanted == "refuse" {
            #expect(error != nil, comment)
            #expect(!FileManager.default.fileExists(atPath: output), comment)
            if row.decided, let name = row.names {
                #expect(error.flatMap(\.path).map { Self.escaped($0.bytes) } == name, comment)
            }
        } else {
            #expect(error == nil, comment)
            guard let version else { return }
            if row.decided, wanted == "ok-omits" {
                #expect(version.manifest.omitted.contains { row.names?.hasSuffix(Self.escaped($0.path)) == true }, comment)
            } else if row.decided, wanted == "ok", let name = row.names {
                #expect(version.entries.contains { name.hasSuffix(Self.escaped($0.path.bytes)) && !$0.path.isRoot }, comment)
            }
        }
    }

    /// Returns bytes in the list's notation.
    private static func escaped(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            if first == UInt8(ascii: "\\") {
                text += "\\\\"
                rest = rest.dropFirst()
            } else if let valid = String(validating: rest.prefix(length), as: UTF8.self), valid.unicodeScalars.count == 1 {
                text += valid
                rest = rest.dropFirst(length)
            } else {
                text += "\\x" + String(first, radix: 16)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Archives that expand without measure fail before they have expanded.
    @Test(arguments: ["hole", "file", "map", "zip", "overlapping"])
    func bombsEndAtOnce(_ kind: String) throws {
        try Tool.need("python3")
        let scratch = try Scratch()
        try scratch.write(
            """
            import sys, zlib
            sys.path.insert(0, '\(PackageFiles.tools)')
            sys.dont_write_bytecode = True
            from make_hostile import *
            out, kind = sys.argv[1:]
            if kind == 'hole':
                tail = bytes(41) + number(0, 12) + number(512, 12) + bytes(72) + b'\\0' + number(1 << 40, 12)
                data = tar(header(b'top/bomb', 512, b'S', magic=b'ustar  \\0', tail=tail) + bytes(512))
            elif kind == 'file':
                data = gzip.compress(header(b'top/bomb', 20 << 30) + bytes(1 << 20), mtime=0)
            elif kind == 'map':
                piece = number(0, 12) + number(0, 12)
                first = header(b'top/bomb', 0, b'S', magic=b'ustar  \\0', tail=bytes(41) + piece * 4 + b'\\1' + number(0, 12))
                data = gzip.compress(first + (piece * 21 + b'\\1' + bytes(7)) * 100_000, 1, mtime=0)
            elif kind == 'zip':
                big = {'size': 20 * 10**9}
                data = zip_archive(ZipEntry(b'top/bomb', b'', method=8, body=deflate(bytes(1 << 20)), local=big, central=big))
            else:
                data = overlapping(250, 1 << 20)
            open(out, 'wb').write(data)
            """, to: "make.py")
        let run = try Tool.shell("python3 make.py bomb \(kind)", in: scratch.path)
        try #require(run.status == 0, "\(run.output)")
        let begin = Date()
        let error = failure { try packed(scratch("bomb"), to: scratch("a.capsule")) }
        // No name is known yet if a header doesn't end.
        #expect(error?.path?.description.hasPrefix(kind == "map" ? scratch.path : "top/") == true, "\(String(describing: error))")
        #expect(Date().timeIntervalSince(begin) < 5)
        #expect(!scratch.exists("a.capsule"))
    }
}

/// Appending to and from capsules that contain false data, or have several faults at once.
@Suite struct HostileAppendTests {
    /// Between a damaged member and an incomplete tail there are complete versions, which no append may cut off.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd], [0, 1, 2])
    func wholeVersionsAreNoTornTail(codec: PackOptions.Codec, fault: Int) throws {
        let directory = try TemporaryDirectory()
        let capsule = directory["t.capsule"]
        var tree: TreeLiteral = ["f": .file("first")]
        var ends: [Int] = []
        for version in 1...3 {
            tree[TreeLiteral.RawPath(Array("v\(version)".utf8))] = .file("in version \(version)")
            try tree.make(at: directory["t\(version)"])
            if version == 1 {
                try UseCases.pack(directory["t1"], to: capsule) { $0.codec = codec }
            } else {
                try AppendTests.append(directory["t\(version)"], to: capsule)
            }
            ends.append(try Files.read(capsule).count)
        }
        var bytes = try Files.read(capsule)
        // The first member of version 2: its magic or, in a gzip member, its own length.
        bytes[ends[0] + (fault == 0 && codec == .gzip ? 19 : 1)] ^= 8
        bytes += fault == 2 ? [UInt8](repeating: 0, count: 512) : Array(bytes.prefix(100))
        try Files.write(bytes, to: capsule)
        let error = UseCases.failure { try AppendTests.append(directory["t1"], to: capsule) }
        #expect(error?.message == "damaged from byte \(ends[0]) on: nothing can be appended")
        #expect(try Files.read(capsule) == bytes)
        let outcome = try Repairer(lockTimeout: 1).repair(HostPath(capsule))
        #expect(outcome.tail == .damaged)
        #expect(try Files.read(capsule + ".damaged") == Array(bytes[ends[0]...]))
    }

    private final class Sink: MemberOutput {
        let path = HostPath("memory")
        var bytes: [UInt8] = []

        func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) {
            bytes.removeSubrange(Int(offset)...)
            bytes += new
        }

        func finish(length: UInt64) {}
    }

    /// Writes a capsule whose index has a wrong digest for a file's content.
    private static func liar(claiming digest: ContentDigest, at path: String) throws {
        let output = Sink()
        let writer = CapsuleWriter(output: output, codec: .gzip)
        let content = Array("nine byte".utf8)
        let encoder = DataMemberEncoder(codec: .gzip, level: .init(nil))
        let buffer = ByteBuffer(capacity: 1_024)
        let members = content.withUnsafeBytes { encoder.encode($0, isLargeFile: false, to: buffer) }
        try writer.append(members, buffer.bytes)
        let entries = [
            TreeEntry(
                path: try RelativePath(validating: Array("a".utf8)), kind: .file, mode: FileMode(0o644), modified: TreeNode.time,
                size: UInt64(content.count), digest: digest),
            TreeEntry(path: .root, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: TreeNode.time),
        ]
        let index = IndexWriter(entries: entries) { [member = writer.members[0]] number in
            number == 0 ? [StoredExtent(member: member, inner: 0, length: UInt64(content.count))] : []
        }
        _ = try writer.finish(
            root: { (append) throws(CapsuleError) in try index.write(append) },
            manifest: { root, digest in
                Manifest(
                    version: 1, name: [0x74], captured: .epoch, source: SourceDescription(kind: .directory), layout: .directory,
                    treeDigest: root.treeDigest, contentDigest: root.contentDigest, indexDigest: digest, entries: root.entries,
                    bytes: root.bytes)
            })
        try Files.write(output.bytes, to: path)
    }

    /// A digest of bytes of another length is not accepted for a content, on either side.
    @Test func digestsOfOtherLengths() throws {
        let directory = try TemporaryDirectory()
        try Self.liar(claiming: SHA256Hasher.digest(of: []), at: directory["liar.capsule"])
        let tree: TreeLiteral = ["a": .file(), "b": .file("nine byte"), "c": .file()]
        try tree.make(at: directory["t"])
        let mine = directory["mine.capsule"]
        try UseCases.pack(directory["t"], to: mine)
        // The appended content is read, and found to be different.
        _ = try? AppendTests.append(directory["liar.capsule"], to: mine)
        #expect(try UseCases.verify(mine).findings == [])
        try AppendTests.append(directory["t"], to: mine)
        #expect(try UseCases.verify(mine).findings == [])

        let theirs = directory["liar.capsule"]
        try AppendTests.append(directory["t"], to: theirs)
        try UseCases.unpack("\(theirs)@2", to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    /// The digest that means "not known" is not the digest of any file.
    @Test func noFileHasNoDigest() throws {
        let directory = try TemporaryDirectory()
        try Self.liar(claiming: .zero, at: directory["liar.capsule"])
        let error = UseCases.failure { try UseCases.list(directory["liar.capsule"]) }
        #expect(error?.message.contains("a file without a digest") == true)
    }
}

/// Archives that were cut or changed. They never cause a crash, and never another tree without an error.
@Suite struct DamagedArchiveTests {
    static let commands = [
        "tar czf a top", "tar cf - top | zstd -q --check > a", "tar cJf a top", "tar cjf a top",
        "zip -qyr a.zip top && mv a.zip a",
    ]

    private func make(_ command: String, _ scratch: Scratch) throws {
        try scratch.write("some text that is here, and here, and here", to: "top/a.txt")
        try scratch.write((0..<3_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }, to: "top/b.bin")
        _ = try Tool.shell("ln -s a.txt top/link; touch -h -d 2023-11-14T22:13:20Z top/* top; \(command)", in: scratch.path)
    }

    /// Returns a digest over everything that a reader gives for an archive, or nil if it throws an error.
    private func digest(of bytes: [UInt8], _ scratch: Scratch, _ name: String) throws -> ContentDigest? {
        let path = try scratch.write(bytes, to: name)
        guard let archive = try? ForeignArchive.read(try CapsuleFile(opening: HostPath(path))) else { return nil }
        var hasher = SHA256Hasher()
        for (entry, file) in zip(archive.listing.entries, archive.listing.files).sorted(by: { $0.0.path < $1.0.path }) {
            hasher.update(entry.path.bytes + [entry.kind.rawValue] + entry.target)
            guard file >= 0 else { continue }
            let buffer = ByteBuffer(capacity: Int(entry.size))
            try buffer.append(capacity: Int(entry.size)) { room in
                try archive.content.read(file, at: 0, into: room)
                return room.count
            }
            hasher.update(buffer.bytes)
        }
        return hasher.finish()
    }

    @Test(arguments: commands)
    func cutAnywhere(_ command: String) throws {
        try Tool.need("tar", "zstd", "xz", "bzip2", "zip")
        let scratch = try Scratch()
        try make(command, scratch)
        let whole = try scratch.read("a")
        let expected = try #require(try digest(of: whole, scratch, "whole"))
        for length in stride(from: 0, to: whole.count, by: 1 + whole.count / 400) {
            let found = try digest(of: Array(whole[..<length]), scratch, "cut")
            #expect(found == nil || found == expected, "cut at \(length) of \(whole.count)")
            // No cut may go unnoticed, not even one in the padding after the archive's end.
            #expect(found == nil, "cut at \(length) of \(whole.count) was not noticed")
        }
    }

    @Test(arguments: commands)
    func flippedAnywhere(_ command: String) throws {
        try Tool.need("tar", "zstd", "xz", "bzip2", "zip")
        let scratch = try Scratch()
        try make(command, scratch)
        let whole = try scratch.read("a")
        let expected = try #require(try digest(of: whole, scratch, "whole"))
        for at in stride(from: 0, to: whole.count, by: 1 + whole.count / 400) {
            var flipped = whole
            flipped[at] ^= 0x10
            let found = try digest(of: flipped, scratch, "flipped")
            // A zip's directory has no checksum of its own. A name, a kind or a mode in it can change unnoticed.
            if command.hasPrefix("zip") { continue }
            #expect(found == nil || found == expected, "byte \(at) of \(whole.count) flipped")
        }
    }

    /// Like every tar, the reader accepts a plain tar without its end marker if it ends after an entry, but not inside one.
    @Test func plainTarCutBetweenBlocks() throws {
        try Tool.need("tar")
        let scratch = try Scratch()
        try make("tar -b 1 -cf a top", scratch)
        let whole = try scratch.read("a")
        var accepted: [Int] = []
        for length in stride(from: 0, through: whole.count, by: 256) {
            if try digest(of: Array(whole[..<length]), scratch, "cut") != nil { accepted.append(length) }
        }
        // Cuts after each of the four entries are accepted, and cuts in the end marker after its first block.
        #expect(accepted.prefix(4).allSatisfy { $0 % 512 == 0 })
        #expect(accepted.count == 7, "\(accepted)")
        let end: [Int] = [1_024, 512, 256, 0].map { (back: Int) -> Int in whole.count - back }
        #expect(Array(accepted.suffix(4)) == end)
    }

    @Test func compressedTarWithoutItsEnd() throws {
        try Tool.need("tar", "gzip", "zstd", "head")
        let scratch = try Scratch()
        try make("tar -b 1 -cf a top", scratch)
        let length = try scratch.read("a").count - 1_024
        _ = try Tool.shell("head -c \(length) a > b; gzip -k b; zstd -q b", in: scratch.path)
        for name in ["b.gz", "b.zst"] {
            let error = failure { try packed(scratch(name), to: scratch("c.capsule")) }
            #expect(error?.message == "the archive is truncated: its end is missing")
        }
        #expect(failure { try packed(scratch("b"), to: scratch("c.capsule")) } == nil)
    }

    /// A capsule without any version is not read as a foreign archive.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func cutCapsule(_ codec: PackOptions.Codec) throws {
        let scratch = try Scratch()
        _ = try packed(try SampleTree.writeBundle(scratch), to: scratch("whole.capsule"), codec: codec)
        let whole = try scratch.read("whole.capsule")
        for length in stride(from: 1, to: whole.count, by: 1 + whole.count / 60) {
            try scratch.write(Array(whole[..<length]), to: "cut.capsule")
            #expect(failure { try packed(scratch("cut.capsule"), to: scratch("c.capsule")) } != nil, "cut at \(length)")
        }
    }
}
