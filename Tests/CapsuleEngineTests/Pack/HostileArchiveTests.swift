import CapsuleContainers
import CapsuleCore
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
