import CapsuleCore
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleArchive

/// Reads the zips that Capsule writes. Tests of the engine read them with other tools.
@Suite struct ZipTests {
    /// Stores written bytes.
    private final class MemoryOutput: MemberOutput {
        var bytes: [UInt8] = []
        let path = HostPath("memory")

        func write(_ written: UnsafeRawBufferPointer, at offset: UInt64) {
            let missing = Int(offset) + written.count - bytes.count
            if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
            bytes.replaceSubrange(Int(offset)..<Int(offset) + written.count, with: written)
        }

        func finish(length: UInt64) { bytes.removeLast(bytes.count - Int(length)) }
    }

    private static func entry(_ kind: EntryKind = .file, seconds: Int64 = 1_700_000_001, size: UInt64 = 0) -> TreeEntry {
        TreeEntry(path: .root, kind: kind, mode: FileMode(0o751), modified: Timestamp(seconds: seconds), size: size)
    }

    private func zip(_ entries: Int) throws -> [UInt8] {
        let output = MemoryOutput()
        let writer = ZipWriter(output: output)
        for number in 0..<entries {
            let text = Array("content of \(number)".utf8)
            try writer.append(Self.entry(size: UInt64(text.count)), name: Array("top/\(number)".utf8)) {
                (take) throws(CapsuleError) in try text.withRawBytes(take)
            }
        }
        _ = try writer.finish()
        return output.bytes
    }

    private func directory(of bytes: [UInt8]) throws -> ZipDirectory {
        let scratch = try Scratch()
        return try ZipDirectory(of: try CapsuleFile(opening: HostPath(try scratch.write(bytes, to: "a.zip"))))
    }

    /// The short end record can't count beyond 65,534 entries.
    @Test(arguments: [1, 65_534, 65_535])
    func countsOfEntries(_ count: Int) throws {
        let directory = try directory(of: try zip(count))
        #expect(directory.entries.count == count)
        #expect(directory.entries.last?.name == Array("top/\(count - 1)".utf8))
        #expect(directory.entries.last?.mode == FileMode(0o751))
    }

    @Test func commentsAndWhatFollows() throws {
        var bytes = try zip(3)
        bytes[bytes.count - 2] = 5
        #expect(try directory(of: bytes + Array("hello".utf8)).entries.count == 3)
        #expect(throws: CapsuleError.self) { try directory(of: bytes + Array("hell".utf8)) }
        // Bytes after a zip are not part of its comment.
        #expect(try directory(of: bytes + Array("hello!".utf8)).entries.count == 3)
    }

    /// A comment longer than the range that libarchive searches.
    @Test func longComment() throws {
        var bytes = try zip(3)
        bytes[bytes.count - 2] = 0xFF
        bytes[bytes.count - 1] = 0xEF
        let scratch = try Scratch()
        let path = try scratch.write(bytes + [UInt8](repeating: 0x2E, count: 0xEFFF), to: "a.zip")
        let archive = try ForeignArchive.read(try CapsuleFile(opening: HostPath(path)))
        #expect(archive.listing.entries.filter { $0.kind == .file }.count == 3)
    }

    /// Any changed byte gives an error that names the problem, or the tree does not depend on the byte.
    @Test func everyFieldFlipped() throws {
        let scratch = try Scratch()
        func tree(of bytes: [UInt8]) throws -> [String] {
            let path = HostPath(try scratch.write(bytes, to: "a.zip"))
            let archive = try ForeignArchive.read(try CapsuleFile(opening: path))
            return archive.listing.entries.map { "\($0.kind) \($0.path) \($0.size)" }
        }
        let whole = try zip(2)
        let expected = try tree(of: whole)
        #expect(expected.count { $0.hasPrefix("file top/") } == 2)
        for at in whole.indices {
            var flipped = whole
            flipped[at] ^= 0xFF
            do {
                let found = try tree(of: flipped)
                #expect(found == expected, "byte \(at)")
            } catch let error as CapsuleError {
                // A message may begin with a name: "ZIP bad CRC".
                let start = error.message.prefix(2)
                #expect(start.allSatisfy(\.isUppercase) || start.first?.isUppercase == false, "byte \(at): \(error.message)")
            }
        }
    }

    /// Sizes and offsets beyond 32 bits, in headers only.
    @Test(arguments: [UInt64(0xFFFF_FFFE), 0xFFFF_FFFF, 5 << 30])
    func wideHeaders(_ size: UInt64) throws {
        var content = ZipContent(.stored)
        content.size = size
        content.stored = size
        let header = ZipHeader(Self.entry(size: size), name: Array("n".utf8), content, offset: size)
        let scratch = try Scratch()
        let path = try scratch.write("x", to: "x")
        let file = try CapsuleFile(opening: HostPath(path))
        let read = try header.central.withRawBytes { bytes throws(any Error) in
            var reader = ByteReader(bytes)
            let entry = try ZipDirectoryEntry(&reader, file: file, start: 0)
            #expect(reader.remaining == 0)
            return entry
        }
        #expect(read.size == size)
        #expect(read.stored == size)
        #expect(read.localOffset == size)
        #expect(header.local.count == 30 + 1 + 9 + (size >= 0xFFFF_FFFF ? 20 : 0))
    }

    @Test(
        arguments: [
            (Int64(0), Int32(0), UInt16(0x0021), UInt16(0)), (1_700_000_001, 1_700_000_001, 0x576E, 0xB1AA),
            (Int64(Int32.max) + 1, nil, 0x7433, 0x19C4), (Int64.max, nil, 0xFF9F, 0xBF7D), (Int64.min, nil, 0x0021, 0),
        ])
    func times(_ seconds: Int64, _ unix: Int32?, _ date: UInt16, _ time: UInt16) {
        let found = ZipTime(Timestamp(seconds: seconds))
        #expect(found.unix == unix)
        #expect(found.dosDate == date)
        #expect(found.dosTime == time)
    }

    @Test func namesThatClaimUTF8() {
        #expect(!ZipName.claimsUTF8(Array("plain".utf8)))
        #expect(ZipName.claimsUTF8(Array("é".utf8)))
        #expect(!ZipName.claimsUTF8([0x61, 0xFF]))
    }
}
