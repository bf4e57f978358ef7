import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct BinaryCookiesTests {
    static let file = CookieFile(
        pages: [
            [
                CookieFile.Cookie(),
                CookieFile.Cookie(
                    domain: "b.org", name: "n", path: "/p", value: [0xFF, 0xE9], comment: "why", commentURL: "http://b.org/",
                    flags: 0x18, version: 1, port: 8080),
            ],
            [CookieFile.Cookie(domain: "ü.de", name: "", value: [])],
        ],
        settings: settings)

    static let settings: [UInt8] = (try? BinaryPlistWriter.write(["NSHTTPCookieAcceptPolicy": 2])) ?? []

    @Test func fields() throws {
        let file = try BinaryCookies(Self.file.bytes)
        try #require(file.cookies.count == 3)
        let first = file.cookies[0]
        #expect(
            [first.domain, first.name, first.path, first.value].map { String(decoding: $0, as: UTF8.self) } == [
                ".example.com", "sid", "/", "secret",
            ])
        #expect((first.expires, first.created) == (700_000_000, 600_000_000.5))
        #expect((first.flags, first.version) == (5, 0))
        #expect(first.port == nil && first.comment == nil && first.commentURL == nil)
        let second = file.cookies[1]
        #expect(second.value == [0xFF, 0xE9])
        #expect((second.comment, second.commentURL) == (Array("why".utf8), Array("http://b.org/".utf8)))
        #expect((second.port, second.flags, second.version) == (8080, 0x18, 1))
        #expect(String(decoding: file.cookies[2].domain, as: UTF8.self) == "ü.de")
        #expect(file.cookies[2].name.isEmpty && file.cookies[2].value.isEmpty)
        #expect(file.settings == ["NSHTTPCookieAcceptPolicy": 2])
    }

    @Test(arguments: [
        (CookieFile(pages: []), 0), (CookieFile(pages: [[]]), 0), (CookieFile(pages: [[], [CookieFile.Cookie()]]), 1),
    ])
    func smallFiles(_ file: CookieFile, _ count: Int) throws {
        #expect(try BinaryCookies(file.bytes).cookies.count == count)
    }

    /// Old files end with four bytes, or none, after the checksum.
    @Test(arguments: [0, 4, 8])
    func filesWithoutSettings(_ count: Int) throws {
        let bytes = CookieFile(pages: [[CookieFile.Cookie()]]).bytes
        let file = try BinaryCookies(Array(bytes.dropLast(12)) + Array(repeating: 9, count: count))
        #expect(file.cookies.count == 1)
        #expect(file.settings == (count == 8 ? .data([9, 9, 9, 9]) : nil))
    }

    // MARK: Damage

    @Test func everyCut() throws {
        let whole = Self.file.bytes
        let pagesEnd = whole.count - 12 - Self.settings.count
        for count in whole.indices {
            let cut = Array(whole.prefix(count))
            guard count < pagesEnd else {
                #expect(try BinaryCookies(cut).cookies.count == 3, "\(count) bytes")
                continue
            }
            let error = #expect(throws: ContentError.self, "\(count) bytes") { try BinaryCookies(cut) }
            #expect(error?.code == (count < 8 ? .unrecognized : .damaged), "\(count) bytes")
        }
    }

    /// A flipped bit gives an error or other content, or it is a bit that is not reported: sizes with spare space, the checksum,
    /// filler bytes.
    @Test func everyFlippedBit() throws {
        let whole = Self.file.bytes
        let file = try BinaryCookies(whole)
        var outcomes = (errors: 0, others: 0, same: 0)
        for place in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[place] ^= 1 << UInt8(bit)
                guard let other = try? BinaryCookies(bytes) else {
                    outcomes.errors += 1
                    continue
                }
                #expect(other.cookies.count <= 4)
                if other == file { outcomes.same += 1 } else { outcomes.others += 1 }
            }
        }
        #expect(outcomes.errors > 500)
        #expect(outcomes.others > 1000)
    }

    struct Damage: CustomTestStringConvertible, Sendable {
        let name: String
        /// The offset in the file with one page of two cookies.
        let offset: Int
        let bytes: [UInt8]
        var testDescription: String { name }
    }

    private static let ones: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    /// The page is at 12, the offsets of its cookies are at 20 and 24, and the first cookie is at 32.
    private static let damages = [
        Damage(name: "pages without end", offset: 5, bytes: [0xFF, 0xFF, 0xFF]),
        Damage(name: "a page larger than the file", offset: 8, bytes: ones),
        Damage(name: "an empty page", offset: 8, bytes: [0, 0, 0, 0]),
        Damage(name: "a page that is none", offset: 12, bytes: [1]),
        Damage(name: "cookies without end", offset: 16, bytes: ones),
        Damage(name: "a cookie out of the page", offset: 20, bytes: ones),
        Damage(name: "a cookie in the header", offset: 20, bytes: [0, 0, 0, 0]),
        Damage(name: "two cookies that are one", offset: 24, bytes: [20, 0, 0, 0]),
        Damage(name: "a cookie larger than the page", offset: 32, bytes: ones),
        Damage(name: "a cookie smaller than its header", offset: 32, bytes: [20, 0, 0, 0]),
        Damage(name: "a domain out of the cookie", offset: 48, bytes: ones),
        Damage(name: "a domain in the header", offset: 48, bytes: [8, 0, 0, 0]),
        Damage(name: "a value without end", offset: 32, bytes: [82, 0, 0, 0]),
        Damage(name: "a comment out of the cookie", offset: 64, bytes: ones),
        Damage(name: "a comment's URL in the header", offset: 68, bytes: [1, 0, 0, 0]),
    ]

    @Test(arguments: damages)
    func damage(_ damage: Damage) throws {
        // The first cookie is the longer one. The size alone does not show that the second one is the first again.
        let cookies = [CookieFile.Cookie(value: Array(repeating: 0x61, count: 200)), CookieFile.Cookie()]
        var bytes = CookieFile(pages: [cookies]).bytes
        #expect(try BinaryCookies(bytes).cookies.count == 2)
        bytes.replaceSubrange(damage.offset..<damage.offset + damage.bytes.count, with: damage.bytes)
        let error = #expect(throws: ContentError.self) { try BinaryCookies(bytes) }
        #expect(error?.code == .damaged)
        #expect(error?.message.isEmpty == false)
    }

    /// Many offsets to one large cookie could add up to any size.
    @Test func cookiesWithinEachOther() throws {
        let cookie = CookieFile.Cookie(value: Array(repeating: 0x61, count: 1 << 16)).bytes
        let count = 1 << 16
        let offset = CookieFile.little(UInt64(12 + 4 * count), 4)
        let page =
            [0, 0, 1, 0] + CookieFile.little(UInt64(count), 4) + Array(repeating: offset, count: count).joined() + [0, 0, 0, 0]
            + cookie
        let file = Array("cook".utf8) + CookieFile.big(1, 4) + CookieFile.big(UInt64(page.count), 4) + page
        let error = #expect(throws: ContentError.self) { try BinaryCookies(file) }
        #expect(error?.message.hasSuffix("overlaps another cookie") == true)
    }

    @Test func tooLarge() {
        let file = CookieFile(pages: []).bytes + Array(repeating: 0, count: BinaryCookies.byteLimit)
        #expect(throws: ContentError(.limit, "larger than 67108864 bytes")) { try BinaryCookies(file) }
    }

    @Test(arguments: ["", "cook", "cookies = yes", "bplist00"])
    func otherFiles(_ text: String) {
        let error = #expect(throws: ContentError.self) { try BinaryCookies(Array(text.utf8)) }
        #expect(error?.code == .unrecognized)
    }
}
