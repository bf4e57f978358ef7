import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

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
