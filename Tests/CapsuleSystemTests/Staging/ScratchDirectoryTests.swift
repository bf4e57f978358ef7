import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@Suite("scratch directories")
struct ScratchDirectoryTests {
    private static func mode(_ path: HostPath) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path.description)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    private static func contents(_ file: ScratchFile) throws -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        return try Array(buffer[..<file.read(at: 0, into: buffer)])
    }

    @Test func isPrivateAndGoesWithItsFiles() throws {
        let place = try TemporaryDirectory()
        do {
            let scratch = try ScratchDirectory(in: HostPath(place.path))
            let file = try scratch.createFile(Array("a".utf8))
            #expect(try place.names.count == 1)
            #expect(try Self.mode(scratch.path) == 0o700)
            #expect(try Self.mode(file.path) == 0o600)
            // Files that a library leaves beside it are deleted, too.
            try Files.write("more", to: scratch.path.description + "/b")
            try [1, 2, 3].withUnsafeBytes { try file.write($0, at: 2) }
            withExtendedLifetime(scratch) {}
        }
        #expect(try place.names == [])
    }

    @Test func filesOutliveTheirNames() throws {
        let place = try TemporaryDirectory()
        let scratch = try ScratchDirectory(in: HostPath(place.path))
        let file = try scratch.createFile(Array("a".utf8))
        scratch.remove()
        #expect(try place.names == [])
        let bytes: [UInt8] = [7, 8, 9]
        try bytes.withUnsafeBytes { try file.write($0, at: 1) }
        #expect(try Self.contents(file) == [0, 7, 8, 9])
        try file.setLength(2)
        #expect(try file.length() == 2)
        #expect(try Self.contents(file) == [0, 7])
        scratch.remove()
    }

    /// A library that resolves the path itself gets the same path.
    @Test func pathHasNoLinks() throws {
        let place = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: place["real"], withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: place["link"], withDestinationPath: "real")
        let scratch = try ScratchDirectory(in: place.host("link"))
        #expect(scratch.path.directory == place.host("real"))
    }

    @Test func aNameIsGivenOnce() throws {
        let place = try TemporaryDirectory()
        let scratch = try ScratchDirectory(in: HostPath(place.path))
        _ = try scratch.createFile(Array("a".utf8))
        #expect(throws: CapsuleError.self) { try scratch.createFile(Array("a".utf8)) }
        #expect(throws: CapsuleError.self) { try ScratchDirectory(in: place.host("missing")) }
    }

    /// A file that a library opens by its path must be the one that was created: no other user may be able to replace the
    /// directory.
    @Test(arguments: [(0o777, false), (0o722, false), (0o1777, true), (0o755, true), (0o700, true)])
    func othersCannotExchangeItsName(mode: Int, isTaken: Bool) throws {
        let place = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: place["open"], withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place["open"])
        if isTaken {
            _ = try ScratchDirectory(in: place.host("open"))
        } else {
            let error = #expect(throws: CapsuleError.self) { _ = try ScratchDirectory(in: place.host("open")) }
            #expect(error?.message.contains("where other users can rename files") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place["open"]) == [])
    }
}

/// Names that a file system does not accept. The error must say which ones, and what to do.
@Suite struct NameProbeTests {
    private static func place(_ path: [UInt8], root: Int = 0) throws -> TargetPath {
        TargetPath(root: root, path: try RelativePath(validating: path))
    }

    private static func places(_ paths: [String]) throws -> [TargetPath] { try paths.map { try place(Array($0.utf8)) } }

    /// Returns the error for some places on a file system that treats the names in each list as the same, and accepts only UTF-8.
    private static func failure(
        _ places: [TargetPath], folding: [[String]] = [], for purpose: NameProbe.Purpose = .unpacking
    ) throws -> CapsuleError? {
        let directory = try TemporaryDirectory()
        let root = try RootDirectory(directory.host(""))
        var taken: Set<Int> = []
        return TestSupport.failure {
            try NameProbe(places, for: purpose).run(
                in: { (_) throws(CapsuleError) in
                    taken = []
                    return root
                },
                make: { (directory, name) throws(CapsuleError) in
                    guard let text = String(validating: name, as: UTF8.self) else {
                        throw CapsuleError(errno: EILSEQ, "create", directory.path)
                    }
                    // Names are compared by their bytes, because equal strings may be different names.
                    let list = folding.firstIndex { $0.contains { $0.utf8.elementsEqual(text.utf8) } }
                    guard let list, !taken.insert(list).inserted else { return }
                    throw CapsuleError(errno: EEXIST, "create", directory.path)
                }, shown: { HostPath("out").appending($0.path.bytes) })
        }
    }

    @Test(arguments: [
        ("A", "a"), ("README.txt", "readme.TXT"), ("cafe\u{301}", "caf\u{e9}"), ("STRASSE", "stra\u{df}e"),
        ("\u{df}", "\u{1e9e}"), ("ss", "\u{1e9e}"), ("s", "\u{17f}"), ("k", "\u{212a}"), ("\u{3c2}", "\u{3c3}"),
        ("fi", "\u{fb01}"), ("\u{13a0}", "\u{ab70}"), ("\u{1fb3}", "\u{391}\u{399}"), ("i\u{307}", "\u{130}"),
    ])
    func namesThatAreTakenForOne(_ one: String, _ other: String) throws {
        for names in [[one, other], [other, one]] {
            let error = try Self.failure(
                try Self.places(names.map { "d/" + $0 } + ["d/x", "e/" + one]), folding: [[one, other]])
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            #expect(error?.message == "this file system does not distinguish it from d/\(sorted[0])")
            #expect(error?.path.map { Array($0.bytes) } == Array("out/d/\(sorted[1])".utf8))
        }
        #expect(NameProbe.mightBeOne(Array(one.utf8), Array(other.utf8)))
    }

    /// On a file system that distinguishes the names, there is no error.
    @Test func namesThatAreToldApart() throws {
        #expect(try Self.failure(try Self.places(["A", "a", "d", "d/A", "d/a"])) == nil)
        #expect(try Self.failure(try Self.places(["a", "b", "d", "d/a", "e", "e/a"]), folding: [["a", "b"]]) == nil)
    }

    /// Each of two directories may have the same name inside, and so may each of two roots.
    @Test func namesOfSeveralDirectories() throws {
        let folding: [[String]] = [["A", "a"]]
        #expect(try Self.failure(try Self.places(["d", "d/A", "e", "e/a"]), folding: folding) == nil)
        let roots = [try Self.place(Array("A".utf8)), try Self.place(Array("a".utf8), root: 1)]
        #expect(try Self.failure(roots, folding: folding) == nil)
    }

    @Test func namesOfOtherBytes() throws {
        let places = try Self.places(["a", "d"]) + [try Self.place(Array("d/not".utf8) + [0xff] + Array("utf8".utf8))]
        let error = try Self.failure(places)
        #expect(error?.message == "this file system allows only UTF-8 names")
        #expect(error?.path.map { Array($0.bytes) } == Array("out/d/not".utf8) + [0xff] + Array("utf8".utf8))
    }

    @Test(arguments: [
        (NameProbe.Purpose.unpacking, "'--as tar.gz'"), (.merging, "'.capsule'"), (.changing, "put the container on"),
    ])
    func theHintSaysWhatHelps(_ purpose: NameProbe.Purpose, _ words: String) throws {
        let twins = try Self.failure(try Self.places(["A", "a"]), folding: [["A", "a"]], for: purpose)
        let bytes = try Self.failure([try Self.place([0xff])], for: purpose)
        for hint in [twins?.hint, bytes?.hint] { #expect(hint?.contains(words) == true) }
    }

    /// Such an entry of an archive would be found as an unfinished transaction, and trusted.
    @Test func whatMightBeATransaction() throws {
        let folding: [[String]] = [[".capsule-transaction", ".Capsule-Transaction", ".cap\u{17f}ule-transaction"]]
        for name in [".Capsule-Transaction", ".cap\u{17f}ule-transaction"] {
            let error = try Self.failure(try Self.places(["AppData", "AppData/" + name]), folding: folding)
            #expect(error?.message == "this file system does not distinguish it from AppData/.capsule-transaction")
            #expect(try Self.failure(try Self.places(["AppData", "AppData/" + name])) == nil)
        }
    }
}
