import CapsuleCore
import Testing

@testable import CapsuleArchive

/// Names from pax records are the bytes of the records, whatever surrounds them.
@Suite struct PaxNamesTests {
    /// A header block of a type and size. Nothing else of it is read.
    private static func block(_ type: Character, size: [UInt8]) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        block.replaceSubrange(124..<124 + size.count, with: size)
        block[156] = type.asciiValue ?? 0
        return block
    }

    private static func header(_ type: Character, _ content: [UInt8]) -> [UInt8] {
        let digits = String(content.count, radix: 8)
        let size = Array((String(repeating: "0", count: 11 - digits.count) + digits).utf8)
        return block(type, size: size) + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
        let rest = Array(" \(key)=".utf8) + value + [0x0A]
        var length = rest.count + 1
        while String(length).utf8.count + rest.count != length { length += 1 }
        return Array(String(length).utf8) + rest
    }

    private static let entry = block("0", size: [])
    private static let composed = Array("caf\u{e9}".utf8)
    private static let decomposed = Array("cafe\u{301}".utf8)

    private static func names(_ bytes: [UInt8]) throws(CapsuleError) -> PaxNames {
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try PaxNames(headers: bytes, file: HostPath("a.tar")) }
    }

    @Test(arguments: [composed, decomposed, [0x72, 0xFF, 0xFE], Array("a\nb=c".utf8), [UInt8](repeating: 0x78, count: 5_000)])
    func aNameIsItsBytes(name: [UInt8]) throws {
        let records = Self.record("mtime", [0x31]) + Self.record("path", name) + Self.record("linkpath", name.reversed())
        let found = try Self.names(Self.header("x", records) + Self.entry)
        #expect(found.path == name)
        #expect(found.linkPath == name.reversed())
    }

    @Test func anEntryWithoutRecordsHasNone() throws {
        #expect(try Self.names(Self.entry) == Self.names([]))
        #expect(try Self.names(Self.entry).path == nil)
    }

    /// A record of the next entry does not apply to this one.
    @Test func onlyTheEntrysOwnHeadersCount() throws {
        let later = Self.header("x", Self.record("path", Self.composed)) + Self.entry
        #expect(try Self.names(Self.entry + later).path == nil)
        #expect(try Self.names([UInt8](repeating: 0, count: 1_024) + later).path == nil)
    }

    @Test func globalRecordsNameNoEntry() throws {
        let global = Self.header("g", Self.record("path", Self.composed))
        #expect(try Self.names(global + Self.entry).path == nil)
        let own = Self.header("x", Self.record("path", Self.decomposed))
        #expect(try Self.names(global + own + Self.entry).path == Self.decomposed)
    }

    @Test func theLastRecordCountsAndAnEmptyOneTakesItBack() throws {
        let twice = Self.record("path", [0x61]) + Self.record("path", [0x62])
        #expect(try Self.names(Self.header("x", twice) + Self.entry).path == [0x62])
        #expect(try Self.names(Self.header("x", twice + Self.record("path", [])) + Self.entry).path == nil)
        let headers = Self.header("x", Self.record("path", [0x61])) + Self.header("x", Self.record("path", [0x63]))
        #expect(try Self.names(headers + Self.entry).path == [0x63])
    }

    /// GNU tar gives a sparse file a made-up path.
    @Test func aSparseFileHasItsOwnName() throws {
        let records = Self.record("GNU.sparse.name", Self.composed) + Self.record("path", Array("GNUSparseFile.7/x".utf8))
        #expect(try Self.names(Self.header("x", records) + Self.entry).path == Self.composed)
    }

    @Test func gnuLongNamesAreLeftToLibarchive() throws {
        let long = Self.header("L", Self.composed + [0])
        #expect(try Self.names(long + Self.entry).path == nil)
        let same = Self.header("x", Self.record("path", Self.composed))
        #expect(try Self.names(long + same + Self.entry).path == Self.composed)
    }

    /// Readers take different ones of the two.
    @Test(arguments: [("L", "path"), ("K", "linkpath")])
    func twoDifferentNamesAreRefused(type: String, key: String) throws {
        let long = Self.header(Character(type), [0x61, 0])
        let other = Self.header("x", Self.record(key, [0x62]))
        for headers in [long + other, other + long] {
            #expect(throws: CapsuleError.self) { try Self.names(headers + Self.entry) }
        }
    }

    /// Each record is damaged, whatever libarchive makes of it.
    @Test(arguments: [
        "99999 path=a\n", "5 path=a\n", "path=a\n", "9 path=a", "8 path \n", "1 \n", "9999999999999999999 path=a\n",
        "-9 path=a\n",
    ])
    func aBrokenRecordIsAnError(record: String) throws {
        let error = #expect(throws: CapsuleError.self) { try Self.names(Self.header("x", Array(record.utf8)) + Self.entry) }
        #expect(error?.code == .damaged)
    }

    /// Sizes in octal, in binary, and far too long: a header that is cut short, or claims a length beyond the end, is an error and
    /// not a crash.
    @Test(arguments: [
        Array("00000001000".utf8), [0x80] + [UInt8](repeating: 0, count: 9) + [0x10, 0], [UInt8](repeating: 0xFF, count: 12),
        [0xBF] + [UInt8](repeating: 0xFF, count: 11), [UInt8](repeating: 0x37, count: 12),
    ])
    func aHeaderThatIsCutShortIsAnError(size: [UInt8]) throws {
        let error = #expect(throws: CapsuleError.self) { try Self.names(Self.block("x", size: size) + [1, 2, 3]) }
        #expect(error?.code == .damaged)
    }
}

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
