import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct WrappedContentTests {
    /// A gzip member that Python writes with a name, a time and a level.
    private static func gzip(_ arguments: String) throws -> [UInt8] {
        let script = """
            import gzip, io, sys
            out = io.BytesIO()
            with gzip.GzipFile(fileobj=out, mode='wb', \(arguments)) as file: file.write(b'content')
            sys.stdout.buffer.write(out.getvalue())
            """
        return try Program.run("python3", ["-c", script]).output
    }

    @Test func gzipOfPython() throws {
        let named = try #require(GzipHeader(try Self.gzip("filename='état.txt', mtime=1700000000")))
        #expect(named.name == [0xE9] + Array("tat.txt".utf8))
        #expect(named.modified == 1_700_000_000)
        #expect(named.comment == nil)
        #expect(named.byteCount == 10 + 9)
        let plain = try #require(GzipHeader(try Self.gzip("filename='', mtime=0")))
        #expect(plain.name == nil && plain.modified == nil && plain.byteCount == 10)
    }

    private static let fixed: [UInt8] = [0x1F, 0x8B, 8, 0x1F, 1, 0, 0, 0, 2, 3]
    private static let full = fixed + [3, 0, 1, 0, 3] + Array("name\0comment\0".utf8) + [0xAA, 0xBB]

    @Test func allFields() throws {
        let header = try #require(GzipHeader(Self.full + [3, 0]))
        #expect(header.name == Array("name".utf8))
        #expect(header.comment == Array("comment".utf8))
        #expect(header.modified == 1)
        #expect(header.byteCount == Self.full.count)
        #expect(WrappedContent(Self.full) == .gzip(header))
    }

    @Test func everyCut() {
        for count in Self.full.indices { #expect(GzipHeader(Array(Self.full.prefix(count))) == nil, "\(count) bytes") }
    }

    @Test func everyFlippedBit() {
        var known = 0
        for place in Self.full.indices {
            for bit in 0..<8 {
                var bytes = Self.full
                bytes[place] ^= 1 << UInt8(bit)
                guard let header = GzipHeader(bytes) else { continue }
                #expect(header.byteCount <= bytes.count)
                known += 1
            }
        }
        #expect(known > 50)
    }

    @Test(
        arguments: [[0x1F, 0x8B], [0x1F, 0x8B, 7, 0, 0, 0, 0, 0, 0, 3], [0x1F, 0x8B, 8, 0x20, 0, 0, 0, 0, 0, 3]] as [[UInt8]])
    func notGzip(_ bytes: [UInt8]) {
        #expect(GzipHeader(bytes) == nil)
    }

    /// All levels and windows, except for the header of a window of 256 bytes, which zlib never writes.
    @Test func zlibOfPython() throws {
        let script = """
            import sys, zlib
            for level in range(10):
                for window in range(9, 16):
                    for data in (b'', b'a' * 100, bytes(range(256)) * 4):
                        packer = zlib.compressobj(level, zlib.DEFLATED, window)
                        print((packer.compress(data) + packer.flush())[:3].hex())
            """
        let output = try Program.run("python3", ["-c", script]).text
        let heads = output.split(separator: "\n").map { line in
            stride(from: 0, to: line.count, by: 2).compactMap { UInt8(line.dropFirst($0).prefix(2), radix: 16) }
        }
        #expect(heads.count == 210)
        for head in heads { #expect(WrappedContent(head) == .zlib, "\(head)") }
    }

    @Test(
        arguments: [
            [], [0x78], [0x78, 0x9C], [0x78, 0x9D, 0], [0x88, 0x1C, 0], [0x79, 0x9C, 0], [0x78, 0xBB, 0], [0x78, 0x9C, 0x06],
        ] as [[UInt8]])
    func notZlib(_ bytes: [UInt8]) {
        #expect(WrappedContent(bytes) == nil)
    }
}
