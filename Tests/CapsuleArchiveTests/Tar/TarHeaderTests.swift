import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleArchive

/// Compares headers with the three stock readers.
@Suite struct TarHeaderTests {
    /// A tar stream that is built entry by entry.
    private final class Stream {
        let buffer = ByteBuffer(capacity: 1 << 16)

        func add(_ entry: TreeEntry, path: [UInt8], bytes: [UInt8] = []) {
            let map = raw(bytes) { SparseMap(of: $0) }
            TarHeader.append(entry, path: path, map: map, to: buffer)
            for range in map.data { buffer.append(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])) }
            buffer.appendZeros(TarHeader.padding(after: map.storedLength))
        }

        func write(to path: String) throws {
            buffer.appendZeros(1_024)
            try Files.write(Array(buffer.bytes), to: path)
        }
    }

    private static func entry(
        _ kind: EntryKind, mode: UInt16 = 0o644, at time: Timestamp = Timestamp(seconds: 1_700_000_000), target: [UInt8] = []
    ) -> TreeEntry {
        TreeEntry(path: .root, kind: kind, mode: FileMode(mode), modified: time, target: target)
    }

    /// Returns a path of `total` bytes with components of at most 250 bytes. Its last slash, apart from a closing one, is at `cut`.
    private static func path(_ total: Int, cut: Int) -> [UInt8] {
        var path = [UInt8](repeating: UInt8(ascii: "n"), count: total)
        if cut > 0 { path[cut] = UInt8(ascii: "/") }
        var at = cut - 240
        while at > 0 {
            path[at] = UInt8(ascii: "/")
            at -= 240
        }
        return path
    }

    static let totals = [
        1, 2, 50, 98, 99, 100, 101, 102, 154, 155, 156, 157, 158, 200, 253, 254, 255, 256, 257, 258, 300, 511, 512, 513, 1_000,
    ]

    /// Every length near a limit with the last slash at every position near a limit, as files and as directories.
    private static var names: [(path: [UInt8], isDirectory: Bool)] {
        var names: [(path: [UInt8], isDirectory: Bool)] = []
        for total in totals {
            let near = [
                1, 50, 99, 100, 101, 153, 154, 155, 156, 157, total - 102, total - 101, total - 100, total - 99, total - 2,
                total - 1,
            ]
            for cut in Set(near).union([0]).sorted() where cut == 0 || (cut >= 1 && cut < total - 1) {
                if total - cut > 250 { continue }
                let path = Self.path(total, cut: cut)
                names.append((path, false))
                names.append((path + [UInt8(ascii: "/")], true))
                if total > 1, cut < total - 2 { names.append((Array(path.dropLast()) + [UInt8(ascii: "/")], true)) }
            }
        }
        return names
    }

    @Test(arguments: ["python", "tar", "bsdtar"])
    func namesOfAllLengthsAndSplits(tool: String) throws {
        let directory = try TemporaryDirectory()
        let stream = Stream()
        for name in Self.names { stream.add(Self.entry(name.isDirectory ? .directory : .file), path: name.path) }
        try stream.write(to: directory["names.tar"])
        #expect(try Self.list(directory["names.tar"], with: tool) == Self.names.map { String(decoding: $0.path, as: UTF8.self) })
    }

    /// Names that are not valid in the encoding of any locale are kept as bytes.
    @Test(arguments: ["C", "C.UTF-8"])
    func namesOfAnyBytes(locale: String) throws {
        let directory = try TemporaryDirectory()
        let stream = Stream()
        let long = [UInt8](repeating: 0xFF, count: 120)
        let names: [[UInt8]] = [
            [0xFF, 0xFE], Array("é".utf8), Array("e\u{301}".utf8), [0xED, 0xA0, 0x80], long, Array("e\u{301}".utf8) + long,
        ]
        for name in names { stream.add(Self.entry(.file), path: name, bytes: name) }
        stream.add(Self.entry(.link, target: [0xFF]), path: Array("short link".utf8))
        stream.add(Self.entry(.link, target: long), path: Array("long link".utf8))
        try stream.write(to: directory["names.tar"])
        for tool in ["tar", "bsdtar"] {
            try FileManager.default.createDirectory(atPath: directory[tool], withIntermediateDirectories: false)
            try Self.extract(directory["names.tar"], with: tool, into: directory[tool], environment: ["LC_ALL": locale])
            let tree = try TreeLiteral(reading: directory[tool])
            for name in names { #expect(tree[TreeLiteral.RawPath(name)]?.kind == .file(name), "\(tool): \(name.prefix(4))") }
            #expect(tree["short link"]?.kind == .link([0xFF]))
            #expect(tree["long link"]?.kind == .link(long))
            #expect(tree.paths.count == names.count + 3)
        }
    }

    @Test(arguments: ["python", "tar", "bsdtar"])
    func linksOfAllLengths(tool: String) throws {
        let directory = try TemporaryDirectory()
        let stream = Stream()
        var expected: TreeLiteral = [:]
        for length in [1, 99, 100, 101, 102, 255, 256, 511, 512, 1_000, 4_095] {
            let target = [UInt8]((0..<length).map { $0 % 100 == 99 ? UInt8(ascii: "/") : UInt8(ascii: "t") })
            for name in ["l\(length)", String(repeating: "n", count: 110) + "\(length)"] {
                stream.add(Self.entry(.link, target: target), path: Array(name.utf8))
                expected[TreeLiteral.RawPath(Array(name.utf8))] = .link(target)
            }
        }
        try stream.write(to: directory["links.tar"])
        try FileManager.default.createDirectory(atPath: directory["out"], withIntermediateDirectories: false)
        try Self.extract(directory["links.tar"], with: tool, into: directory["out"])
        let found = try TreeLiteral(reading: directory["out"]).mapping { $1.modified = TreeNode.time }
        #expect(expected.differences(from: found) == [])
    }

    /// Octal as far as possible; base 256 for larger numbers and for times before 1970.
    @Test(arguments: ["python", "tar", "bsdtar"])
    func numbersBeyondOctal(tool: String) throws {
        let directory = try TemporaryDirectory()
        let stream = Stream()
        let times: [Int64] = [
            0, 1, -1, 1_700_000_000, 2_147_483_648, 4_294_967_296, 8_589_934_591, 8_589_934_592, 10_000_000_000, -2_147_483_648,
        ]
        for time in times { stream.add(Self.entry(.file, at: Timestamp(seconds: time)), path: Array("t\(time)".utf8)) }
        try stream.write(to: directory["times.tar"])
        try FileManager.default.createDirectory(atPath: directory["out"], withIntermediateDirectories: false)
        try Self.extract(directory["times.tar"], with: tool, into: directory["out"])
        let found = try TreeLiteral(reading: directory["out"])
        for time in times { #expect(found[TreeLiteral.RawPath(Array("t\(time)".utf8))]?.modified == Timestamp(seconds: time)) }
    }

    @Test func sizesBeyondOctal() throws {
        let buffer = ByteBuffer(capacity: 512)
        for size in [8_589_934_591, 8_589_934_592, 1 << 40] as [UInt64] {
            buffer.removeAll()
            TarHeader.append(Self.entry(.file), path: [0x66], map: SparseMap(size: size), to: buffer)
            let field = Array(buffer.bytes[124..<136])
            if size < 8_589_934_592 {
                #expect(field == Array("77777777777\0".utf8))
            } else {
                #expect(field[0] == 0x80)
                #expect(field[1...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == size)
            }
        }
    }

    /// Old GNU sparse files with their pieces in the header alone, in one more block and in several.
    @Test(arguments: ["python", "tar", "bsdtar"], [0, 1, 3, 4, 5, 24, 25, 26, 46, 47, 70])
    func sparseFiles(tool: String, pieces: Int) throws {
        let directory = try TemporaryDirectory()
        let stream = Stream()
        var expected: TreeLiteral = [:]
        for isHoleAtEnd in [false, true] {
            for name in ["s", String(repeating: "n", count: 120)] {
                var bytes: [UInt8] = []
                for piece in 0..<pieces {
                    bytes += [UInt8](repeating: 0, count: 65_536) + [UInt8](repeating: UInt8(piece + 1), count: 65_536)
                }
                if pieces == 0 || isHoleAtEnd { bytes += [UInt8](repeating: 0, count: 65_536) }
                let path = Array((name + (isHoleAtEnd ? "1" : "0")).utf8)
                stream.add(Self.entry(.file), path: path, bytes: bytes)
                expected[TreeLiteral.RawPath(path)] = .file(bytes)
            }
        }
        stream.add(Self.entry(.file), path: [0x7A], bytes: Array("behind them".utf8))
        expected["z"] = .file("behind them")
        try stream.write(to: directory["sparse.tar"])
        try FileManager.default.createDirectory(atPath: directory["out"], withIntermediateDirectories: false)
        try Self.extract(directory["sparse.tar"], with: tool, into: directory["out"])
        let found = try TreeLiteral(reading: directory["out"]).mapping { $1.modified = TreeNode.time }
        #expect(expected.differences(from: found) == [])
    }

    @Test func ownerIsNobodyAndChecksumIsRight() {
        let buffer = ByteBuffer(capacity: 512)
        TarHeader.append(Self.entry(.directory, mode: 0o1755), path: Array("d/".utf8), map: SparseMap(size: 0), to: buffer)
        let block = Array(buffer.bytes)
        #expect(block.count == 512)
        #expect(Array(block[100..<108]) == Array("0001755\0".utf8))
        #expect(Array(block[108..<124]) == Array("0000000\u{0}0000000\u{0}".utf8))
        #expect(block[156] == UInt8(ascii: "5"))
        #expect(Array(block[257..<265]) == Array("ustar\u{0}00".utf8))
        #expect(block[265..<345].allSatisfy { $0 == 0 })
        let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
        let digits = String(sum, radix: 8)
        #expect(Array(block[148..<156]) == Array((String(repeating: "0", count: 6 - digits.count) + digits + "\0 ").utf8))
    }

    @Test(arguments: [(0, 0), (1, 511), (511, 1), (512, 0), (513, 511)] as [(UInt64, Int)])
    func padding(length: UInt64, padding: Int) {
        #expect(TarHeader.padding(after: length) == padding)
    }

    // MARK: The tools

    private static let pythonList = """
        import sys, tarfile
        with tarfile.open(sys.argv[1]) as tar:
            for member in tar:
                print(member.name + ("/" if member.isdir() else ""))
        """
    private static let pythonExtract = """
        import sys, tarfile
        tarfile.TarFile.extraction_filter = staticmethod(lambda member, path: member)
        with tarfile.open(sys.argv[1]) as tar:
            tar.extractall(sys.argv[2])
        """

    private static func list(_ archive: String, with tool: String) throws -> [String] {
        let program =
            switch tool {
            case "python": try Program.run("python3", ["-c", pythonList, archive])
            case "tar": try Program.run("tar", ["--quoting-style=literal", "-tf", archive])
            default: try Program.run(tool, ["-tf", archive])
            }
        #expect(program.status == 0, "\(tool) (is it installed?): \(program.errors)")
        #expect(program.errors == "", "\(tool) is not silent")
        return program.text.split(separator: "\n").map(String.init)
    }

    private static func extract(_ archive: String, with tool: String, into directory: String, environment: [String: String] = [:])
        throws
    {
        let program =
            switch tool {
            case "python":
                try Program.run("python3", ["-W", "ignore", "-c", pythonExtract, archive, directory], environment: environment)
            // GNU tar warns that times before 1970 are implausible.
            case "tar":
                try Program.run(tool, ["--warning=no-timestamp", "-xf", archive, "-C", directory], environment: environment)
            default: try Program.run(tool, ["-xf", archive, "-C", directory], environment: environment)
            }
        #expect(program.status == 0, "\(tool) (is it installed?): \(program.errors)")
        #expect(program.errors == "", "\(tool) is not silent")
    }
}
