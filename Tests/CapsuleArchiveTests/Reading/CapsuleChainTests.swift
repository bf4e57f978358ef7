import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleArchive

/// The bytes of a capsule in memory, as the output of a writer.
private final class MemoryOutput: MemberOutput {
    let path = HostPath("memory")
    var bytes: [UInt8] = []

    func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        if bytes.count < Int(offset) + new.count { bytes += [UInt8](repeating: 0, count: Int(offset) + new.count - bytes.count) }
        bytes.replaceSubrange(Int(offset)..<Int(offset) + new.count, with: new)
    }

    func finish(length: UInt64) throws(CapsuleError) { bytes.removeSubrange(Int(length)...) }
}

/// Capsules with several versions, made member by member.
@Suite struct CapsuleChainTests {
    private static let labels = ["one", "two", "three"]

    /// Returns a capsule in which each version has the file `v` with other bytes, and the ends of the versions.
    static func capsule(_ codec: MemberCodec, versions: Int) throws -> (bytes: [UInt8], ends: [Int]) {
        let output = MemoryOutput()
        var ends: [Int] = []
        for number in 1...versions {
            let previous = try ends.last.map { end in
                let offset = end - codec.footerMemberLength
                let payload = try #require(
                    raw(Array(output.bytes[offset..<end])) { MetadataMember.join(.footer, $0, codec: codec) })
                return try payload.withRawBytes { (bytes) throws(Footer.Problem) in try Footer(payload: bytes) }
            }
            let writer = CapsuleWriter(output: output, codec: codec, following: previous)
            let content = Array("content of version \(number)".utf8)
            for (bytes, member) in Members.data(content, codec) {
                let appended: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
                    Result { () throws(CapsuleError) in try writer.append([member], bytes) }
                }
                try appended.get()
            }
            let entry = TreeEntry(
                path: try RelativePath(validating: [0x76]), kind: .file, mode: FileMode(0o644), modified: .epoch,
                size: UInt64(content.count),
                digest: SHA256Hasher.digest(of: content))
            let member = writer.members.first
            let index = IndexWriter(entries: [entry]) { _ in [StoredExtent(member: member, inner: 0, length: entry.size)] }
            let label = VersionLabel(labels[number - 1])
            let length = try writer.finish(
                root: { (append) throws(CapsuleError) in try index.write(append) },
                manifest: { root, digest in
                    Manifest(
                        version: UInt32(number), name: [0x6E], label: label, captured: .epoch,
                        source: SourceDescription(kind: .directory),
                        layout: .directory, treeDigest: root.treeDigest, contentDigest: root.contentDigest, indexDigest: digest,
                        entries: root.entries, bytes: root.bytes)
                })
            ends.append(Int(length))
        }
        return (output.bytes, ends)
    }

    static func open(_ bytes: [UInt8], in directory: TemporaryDirectory, as name: String = "capsule") throws
        -> CapsuleReader
    {
        try Files.write(bytes, to: directory[name])
        return try CapsuleReader(try CapsuleFile(opening: directory.host(name)))
    }

    @Test(arguments: MemberCodec.allCases)
    func versionsAreSelected(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let capsule = try Self.open(try Self.capsule(codec, versions: 3).bytes, in: directory)
        #expect(capsule.tail == .whole)
        #expect(try capsule.footers().map(\.version) == [3, 2, 1])
        let selections: [(String, UInt32)] = [
            ("latest", 3), ("first", 1), ("1", 1), ("2", 2), ("3", 3), ("~0", 3), ("~1", 2), ("~2", 1), ("one", 1), ("two", 2),
            ("three", 3),
        ]
        for (text, version) in selections {
            let selector = try #require(VersionSelector(text))
            let footer = try capsule.footer(of: selector)
            #expect(footer.version == version, "\(text)")
            #expect(try capsule.manifest(of: footer).version == version)
            let root = try capsule.root(of: footer)
            let found = try #require(try capsule.find(RelativePath(validating: [0x76]), in: .tree, of: root))
            let extent = try #require(found.block.storedExtents(of: found.entry).first)
            let reader = MemberReader(file: capsule.file, codec: codec)
            let bytes = Array(try reader.bytes(of: extent))
            #expect(bytes == Array("content of version \(version)".utf8))
            let segment = try SegmentCheck(capsule, footer)
            #expect(segment.problem == nil)
            #expect(segment.members.map(\.kind) == [.data, .indexBlock, .indexRoot, .manifest])
        }
        for text in ["4", "~3", "four", "0"] {
            let selector = try #require(VersionSelector(text))
            let error = #expect(throws: CapsuleError.self) { try capsule.footer(of: selector) }
            #expect(error?.code == .notFound)
            #expect(error?.message == "has no version \(text == "four" ? "'four'" : text): it has 3 versions")
        }
    }

    /// If the last version is cut anywhere, the version before it is the last complete one.
    @Test(arguments: MemberCodec.allCases)
    func everyCutLeavesTheVersionBefore(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.capsule(codec, versions: 2)
        for length in ends[0]...ends[1] {
            let capsule = try Self.open(Array(bytes[..<length]), in: directory)
            #expect(capsule.newest.version == (length == ends[1] ? 2 : 1))
            #expect(
                capsule.tail == (length == ends[0] || length == ends[1] ? .whole : .torn(UInt64(ends[0]))), "cut to \(length)")
        }
        for length in 0..<ends[0] {
            let error = #expect(throws: CapsuleError.self) { try Self.open(Array(bytes[..<length]), in: directory) }
            #expect(error?.code == .torn || error?.code == .notCapsule, "cut to \(length): \(String(describing: error))")
        }
    }

    /// Bytes after the last version are torn or damaged, as docs/format.md says, section 10.
    @Test(arguments: MemberCodec.allCases)
    func tailsAreTornOrDamaged(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.capsule(codec, versions: 2)
        let end = UInt64(ends[0])
        let first = Array(bytes[..<ends[0]])
        let second = Array(bytes[ends[0]...])
        let member = try #require(Members.data([1, 2, 3], codec).first).bytes
        let tails: [(String, [UInt8], CapsuleReader.Tail)] = [
            ("a whole data member", member, .torn(end)), ("half a data member", Array(member.dropLast(3)), .torn(end)),
            ("512 zeros", [UInt8](repeating: 0, count: 512), .torn(end)),
            ("a member and zeros", member + [UInt8](repeating: 0, count: 600), .torn(end)),
            ("garbage", [UInt8](repeating: 0x55, count: 600), .damaged(end)),
            ("garbage and zeros", [0x55] + [UInt8](repeating: 0, count: 600), .torn(end)),
            ("a member and garbage", member + [0x55, 0x55], .damaged(end)),
            ("511 zeros", [0x55] + [UInt8](repeating: 0, count: 511), .damaged(end)),
            ("the other footer alone", Array(second.suffix(codec.footerMemberLength)), .damaged(end)),
            ("the first footer again", Array(first.suffix(codec.footerMemberLength)), .damaged(end)),
            ("the first version again", first, .damaged(end)),
        ]
        for (what, tail, expected) in tails {
            let capsule = try Self.open(first + tail, in: directory)
            #expect(capsule.newest.version == 1, "\(what)")
            #expect(capsule.tail == expected, "\(what)")
        }
    }

    /// A flipped byte in the last footer, or in what it covers, is damage. The walk finds the version before.
    @Test(arguments: MemberCodec.allCases)
    func aFlippedByteOfTheLastFooterHidesIt(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.capsule(codec, versions: 2)
        for place in stride(from: ends[1] - codec.footerMemberLength, to: ends[1], by: 3) {
            var damaged = bytes
            damaged[place] ^= 0x10
            let capsule = try Self.open(damaged, in: directory)
            #expect(capsule.newest.version == 1, "byte \(place)")
            #expect(capsule.tail != .whole)
        }
    }

    @Test(arguments: MemberCodec.allCases)
    func aFlippedByteOfAnEarlierFooterBreaksTheChain(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.capsule(codec, versions: 2)
        for place in stride(from: ends[0] - codec.footerMemberLength, to: ends[0], by: 3) {
            var damaged = bytes
            damaged[place] ^= 0x10
            let capsule = try Self.open(damaged, in: directory)
            // The newest version does not need the damaged footer. Reading all footers is an error.
            #expect(capsule.newest.version == 2)
            let error = #expect(throws: CapsuleError.self, "byte \(place)") { try capsule.footers() }
            #expect(error?.code == .damaged)
        }
    }

    @Test(
        arguments: [
            [], [0x1F], Array("not a capsule".utf8), [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3], [0x28, 0xB5, 0x2F],
            Array("PK\u{3}\u{4}".utf8), [UInt8](repeating: 0, count: 2_000),
        ] as [[UInt8]])
    func otherFilesAreNoCapsules(bytes: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: CapsuleError.self) { try Self.open(bytes, in: directory) }
        #expect(error?.code == .notCapsule || error?.code == .torn)
    }

    /// A plain .tar.zst is not a capsule, whatever its length.
    @Test func aPlainZstdFileIsNoCapsule() throws {
        let directory = try TemporaryDirectory()
        for length in [10, 5_000, 3 << 20] {
            let bytes = Members.data([UInt8](repeating: 7, count: min(length, 1 << 20)), .zstd).flatMap(\.bytes)
            let error = #expect(throws: CapsuleError.self) { try Self.open(bytes + bytes, in: directory) }
            #expect(error?.code == .notCapsule)
        }
    }

    @Test(arguments: MemberCodec.allCases, [(2, 3, "newer"), (1, 0, "tar")] as [(UInt8, UInt8, String)])
    func anotherFormatIsRefusedByNumber(codec: MemberCodec, format: (major: UInt8, minor: UInt8, hint: String)) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.capsule(codec, versions: 1)
        let start = ends[0] - codec.footerMemberLength
        var payload = try #require(raw(Array(bytes[start...])) { MetadataMember.join(.footer, $0, codec: codec) })
        (payload[8], payload[10]) = (format.major, format.minor)
        payload = Array(payload[..<208]) + SHA256Hasher.digest(of: Array(payload[..<208])).withBytes { Array($0) }
        let buffer = ByteBuffer(capacity: 512)
        raw(payload) { MetadataMember.append(.footer, $0, codec: codec, to: buffer) }
        let error = #expect(throws: CapsuleError.self) {
            try Self.open(Array(bytes[..<start]) + Array(buffer.bytes), in: directory)
        }
        #expect(error?.code == .otherFormat && error?.hint?.contains(format.hint) == true)
        #expect(error?.message == "has format \(format.major).\(format.minor), but this program reads format 1.1")
    }

    @Test func aRewoundWriterForgets() throws {
        let output = MemoryOutput()
        let writer = CapsuleWriter(output: output, codec: .gzip)
        let (bytes, member) = try #require(Members.data([1, 2, 3], .gzip).first)
        let mark = writer.mark
        for _ in 0..<3 {
            let appended: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(CapsuleError) in try writer.append([member], bytes) }
            }
            try appended.get()
        }
        #expect(writer.members.map(\.offset) == [0, UInt64(bytes.count), UInt64(2 * bytes.count)])
        try writer.rewind(to: mark)
        #expect(writer.members.isEmpty)
    }
}
