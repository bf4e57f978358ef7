import CapsuleArchive
import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// A stream is recognized by its first bytes, and read up to the limit for its purpose.
@Suite struct StandardInputTests {
    static let limits = StandardInput.Limits(archive: 3_000_000, propertyList: 2_000_000, unknown: 1_000_000)

    /// Returns the error for a stream that begins with some bytes and continues with zeros.
    private static func failure(
        _ start: [UInt8], _ length: Int, for purpose: StandardInput.Purpose
    ) throws -> CapsuleError? {
        let directory = try TemporaryDirectory()
        try Files.write(start + [UInt8](repeating: 0, count: length - start.count), to: directory["f"])
        let file = open(directory["f"], O_RDONLY)
        defer { close(file) }
        return TestSupport.failure {
            let spooled = try StandardInput.spool(file, as: HostPath("in"), for: purpose, limits: limits)
            #expect(spooled.length == UInt64(length))
        }
    }

    @Test func whatBeginsAsNoArchiveIsSoonGivenUp() throws {
        let text = Array(String(repeating: "[\n", count: 300).utf8)
        #expect(try Self.failure(text, 1_000_000, for: .container) == nil)
        let error = try Self.failure(text, 2_000_000, for: .container)
        #expect(error?.message == "is not an archive, judging by the first 1000000 bytes")
        #expect(error?.hint == "save it to a file and name the file: then all of it is checked")
        #expect(try Self.failure(text, 2_000_000, for: .overlay) == nil)
        #expect(try Self.failure(text, 2_000_001, for: .overlay)?.hint == "this is the limit for property lists")
        #expect(try Self.failure(text, 2_000_001, for: .propertyList)?.hint == "this is the limit for property lists")
    }

    @Test func archivesMayBeLonger() throws {
        for purpose in [StandardInput.Purpose.container, .overlay] {
            let gzip: [UInt8] = [0x1F, 0x8B]
            #expect(try Self.failure(gzip, 3_000_000, for: purpose) == nil)
            let error = try Self.failure(gzip, 3_000_001, for: purpose)
            #expect(error?.message == "is larger than 3000000 bytes")
            #expect(error?.hint == "save it to a file and name the file")
        }
    }

    /// A tar from before POSIX has no magic, but still has a checksum.
    @Test func oldTarsAreArchives() throws {
        var header = [UInt8](repeating: 0, count: 512)
        header[0] = UInt8(ascii: "f")
        header.replaceSubrange(148..<156, with: [UInt8](repeating: UInt8(ascii: " "), count: 8))
        let sum = header.reduce(0) { $0 + Int($1) }
        let digits = Array(String(sum, radix: 8).utf8) + [0]
        header.replaceSubrange(148..<148 + digits.count, with: digits)
        #expect(TarChecksum.isRight(in: header))
        #expect(try Self.failure(header, 3_000_000, for: .container) == nil)
        header[1] = 1
        #expect(!TarChecksum.isRight(in: header))
        #expect(!TarChecksum.isRight(in: [UInt8](repeating: 0, count: 512)))
        #expect(!TarChecksum.isRight(in: []))
    }
}
