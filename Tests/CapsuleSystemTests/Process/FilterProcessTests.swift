import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleSystem

/// Programs that turn one file into another.
@Suite struct FilterProcessTests {
    private static func sh(_ script: String, reading source: Int32? = nil, writing output: Int32) throws -> FilterProcess {
        try FilterProcess(HostPath("sh"), ["-c", script].map { Array($0.utf8) }, reading: source, writing: output)
    }

    private static func content(of spool: SpoolFile) throws -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        return Array(buffer[..<(try spool.read(at: 0, into: buffer))])
    }

    private static func spool(_ bytes: [UInt8]) throws -> SpoolFile {
        let spool = try SpoolFile()
        try bytes.withUnsafeBytes { try spool.write($0, at: 0) }
        return spool
    }

    @Test func aFileIsReadFromItsStart() throws {
        let (source, target) = (try Self.spool(Array("abc".utf8)), try SpoolFile())
        let (input, output) = (try source.duplicate().release(), try target.duplicate().release())
        let process = try Self.sh("tr a-z A-Z", reading: input, writing: output)
        #expect(try process.finish { _ in Issue.record("it complains") }.status == 0)
        #expect(try Self.content(of: target) == Array("ABC".utf8))
        for descriptor in [input, output] { _ = OwnedDescriptor(adopting: descriptor) }
    }

    /// More bytes than a pipe holds, and lines of standard error, of which the last has no end.
    @Test func whatIsWrittenAndSaidArrives() throws {
        let target = try SpoolFile()
        let output = try target.duplicate().release()
        let process = try Self.sh("cat; echo one >&2; printf two >&2; exit 3", writing: output)
        let bytes = [UInt8](repeating: 0x41, count: 300_000)
        try bytes.withUnsafeBytes { try process.write($0) }
        var lines: [String] = []
        #expect(try process.finish { lines.append(String(decoding: $0, as: UTF8.self)) }.status == 3)
        #expect(lines == ["one", "two"])
        #expect(try Self.content(of: target) == bytes)
        _ = OwnedDescriptor(adopting: output)
    }

    /// A line without end does not take all memory.
    @Test func longLinesArriveInPieces() throws {
        let target = try SpoolFile()
        let output = try target.duplicate().release()
        let process = try Self.sh("head -c 100000 /dev/zero >&2", writing: output)
        var (sum, longest) = (0, 0)
        _ = try process.finish { (sum, longest) = (sum + $0.count, max(longest, $0.count)) }
        #expect(sum == 100_000 && longest < 10_000)
        _ = OwnedDescriptor(adopting: output)
    }

    @Test func aProgramThatIsReleasedIsKilled() throws {
        let target = try SpoolFile()
        let output = try target.duplicate().release()
        let start = ContinuousClock.now
        do { _ = try Self.sh("exec sleep 60", writing: output) }
        #expect(ContinuousClock.now - start < .seconds(30))
        _ = OwnedDescriptor(adopting: output)
    }
}
