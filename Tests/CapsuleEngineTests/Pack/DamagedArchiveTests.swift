import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

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
