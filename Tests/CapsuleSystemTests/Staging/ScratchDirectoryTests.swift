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
