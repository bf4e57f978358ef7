import CapsuleCore
import Testing

@testable import CapsuleArchive

@Suite("the end of a tar")
struct TarEndTests {
    private static let zeros = [UInt8](repeating: 0, count: 512)
    private static let entry = Array("name".utf8) + [UInt8](repeating: 0, count: 508)

    /// A global header, with its content.
    private static let global: [UInt8] = {
        var header = [UInt8](repeating: 0, count: 512)
        header[156] = UInt8(ascii: "g")
        header.replaceSubrange(124..<135, with: Array("00000000012".utf8))
        return header + Array("10 a=bcde\n".utf8) + [UInt8](repeating: 0, count: 502)
    }()

    private static func place(_ bytes: [UInt8]) throws(CapsuleError) -> Int? {
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in TarEnd.loneZeroBlock(in: bytes) }
    }

    @Test func twoBlocksOrTheEndOfTheFileEndIt() throws {
        for end in [[], Self.zeros, Self.zeros + Self.zeros, Self.zeros + Self.zeros + Self.entry, Self.zeros + [0, 0]] {
            #expect(try Self.place(end) == nil)
            #expect(try Self.place(Self.global + end) == nil)
        }
        #expect(try Self.place(Self.entry + Self.zeros + Self.entry) == nil)
        #expect(try Self.place([UInt8](Self.global.prefix(600))) == nil)
    }

    @Test func oneBlockDoesNot() throws {
        #expect(try Self.place(Self.zeros + Self.entry) == 0)
        #expect(try Self.place(Self.zeros + [0, 1]) == 0)
        #expect(try Self.place(Self.global + Self.zeros + Self.entry) == 1024)
    }
}
