import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct CookieDiffTests {
    private typealias Cookie = CookieFile.Cookie

    private static func compare(
        _ old: [[CookieFile.Cookie]], _ new: [[CookieFile.Cookie]], settings: (old: [UInt8], new: [UInt8]) = ([], [])
    ) throws -> CookieDiff {
        CookieDiff(
            try BinaryCookies(CookieFile(pages: old, settings: settings.old).bytes),
            try BinaryCookies(CookieFile(pages: new, settings: settings.new).bytes))
    }

    private static func line(_ change: CookieChange) -> String {
        let fields = change.fields.map { "\($0.name) \(shown($0.old)) → \(shown($0.new))" }
        return "\(change.operation.rawValue) \(change.domain) \(change.path) \(change.cookie): " + fields.joined(separator: ", ")
    }

    private static func shown(_ value: DisplayValue?) -> String {
        switch value {
        case .value(let value)?: "\(value)"
        case .hidden(let word)?: "hidden \(word)"
        case nil: "-"
        default: "?"
        }
    }

    private static let base = Cookie()

    private static func with(_ change: (inout CookieFile.Cookie) -> Void) -> CookieFile.Cookie {
        var cookie = base
        change(&cookie)
        return cookie
    }

    static let fieldCases: [(CookieFile.Cookie, String)] = [
        (with { $0.value = Array("other".utf8) }, "value \"secret\" → \"other\""),
        (with { $0.flags = 0 }, "flags \"secure httponly\" → \"\""),
        (with { $0.flags = 0x1C }, "flags \"secure httponly\" → \"httponly 0x18\""),
        (with { $0.port = 80 }, "port - → 80"),
        (with { $0.version = 1 }, "version 0 → 1"),
        (with { $0.comment = "c" }, "comment - → \"c\""),
        (with { $0.commentURL = "u" }, "commentURL - → \"u\""),
    ]

    @Test(arguments: fieldCases)
    func fields(_ cookie: CookieFile.Cookie, _ expected: String) throws {
        let comparison = try Self.compare([[Self.base]], [[cookie]])
        #expect(comparison.changes.map { Self.line($0) } == ["modified .example.com / sid: " + expected])
        let back = try Self.compare([[cookie]], [[Self.base]])
        #expect(back.changes.map { $0.fields.map(\.new) } == comparison.changes.map { $0.fields.map(\.old) })
    }

    @Test func dates() throws {
        let comparison = try Self.compare([[Self.base]], [[Self.with { ($0.expires, $0.created) = (1, .nan) }]])
        let fields = try #require(comparison.changes.first?.fields)
        #expect(fields.map(\.name) == ["expires", "created"])
        #expect(fields.map(\.old) == [.value(.date(700_000_000)), .value(.date(600_000_000.5))])
        #expect(fields.map(\.new) == [.value(.date(1)), .value(.date(.nan))])
    }

    @Test func secrets() throws {
        let (old, new) = (Self.base, Self.with { $0.value = [0xFF] })
        let comparison = try Self.compare([[old], [Cookie(domain: "z")]], [[new, Cookie(domain: "a")]])
        #expect(comparison.changes.map(\.operation) == [.modified, .added, .deleted])
        let values = comparison.changes.flatMap(\.fields).filter { $0.name == "value" }
        #expect(values.count == 3)
        #expect(values[0] == .init("value", old: .value("secret"), new: .value(.data([0xFF]))))
        var (details, cover) = (comparison.details, SecretCover())
        for index in details.indices { cover.hide(&details[index].content) }
        #expect(cover.count == 3 && !"\(details)".contains("\"secret\""))
    }

    @Test func addedAndDeletedTellAll() throws {
        let cookie = Cookie(comment: "c", port: 1)
        let names = ["value", "expires", "created", "flags", "port", "version", "comment"]
        #expect(try Self.compare([], [[cookie]]).changes.map { $0.fields.map(\.name) } == [names])
        #expect(try Self.compare([[cookie]], []).changes.map { $0.fields.map(\.name) } == [names])
    }

    @Test func orderOfChanges() throws {
        let names = ["c", "a", "b"]
        let comparison = try Self.compare([], [names.map { Cookie(name: $0) }, [Cookie(domain: "-", name: "z", path: "/z")]])
        #expect(comparison.changes.map(\.cookie) == ["z", "a", "b", "c"])
    }

    // MARK: Order and pages

    private static let three = ["a", "b", "c"].map { CookieFile.Cookie(name: $0) }

    @Test func anotherOrder() throws {
        let comparison = try Self.compare([Self.three], [Self.three.reversed()])
        #expect(comparison.changes.isEmpty)
        #expect(comparison.isReordered)
        #expect(comparison.details.map(\.noise) == [.cookiesOrder])
        #expect(comparison.details.map(\.isChange) == [true])
    }

    @Test func otherPages() throws {
        let comparison = try Self.compare([Self.three], Self.three.map { [$0] })
        #expect(comparison.changes.isEmpty)
        #expect(!comparison.isReordered)
        #expect(comparison.details.map(\.noise) == [.cookiesOrder])
    }

    @Test func anotherOrderAndAChange() throws {
        let comparison = try Self.compare([Self.three], [Self.three.reversed() + [Self.base]])
        #expect(comparison.changes.map(\.operation) == [.added])
        #expect(comparison.isReordered)
        #expect(comparison.details.map(\.noise) == [nil])
    }

    // MARK: Duplicates

    @Test func duplicates() throws {
        func cookie(_ value: String) -> CookieFile.Cookie { Cookie(value: Array(value.utf8)) }
        func changes(_ old: [String], _ new: [String]) throws -> [String] {
            let comparison = try Self.compare([old.map { cookie($0) }], [new.map { cookie($0) }])
            return comparison.changes.map { change in
                let value = change.fields.first { $0.name == "value" }
                return "\(Self.shown(value?.old)) → \(Self.shown(value?.new))"
            }
        }
        #expect(try changes(["1", "2"], ["2"]) == ["\"1\" → -"])
        #expect(try changes(["1", "2"], ["2", "1"]) == [])
        #expect(try changes(["1", "2", "3"], ["2", "4", "5"]) == ["\"1\" → \"4\"", "\"3\" → \"5\""])
        #expect(try changes(["1", "1"], ["1", "1", "1"]) == ["- → \"1\""])
        #expect(try Self.compare([[cookie("1"), cookie("2")]], [[cookie("2"), cookie("1")]]).isReordered)
    }

    // MARK: Settings and limits

    @Test func settings() throws {
        let other = try BinaryPlistWriter.write(["NSHTTPCookieAcceptPolicy": 0])
        let comparison = try Self.compare([Self.three], [Self.three], settings: (BinaryCookiesTests.settings, other))
        #expect(comparison.settings.map(\.pointer.description) == ["/NSHTTPCookieAcceptPolicy"])
        #expect(comparison.details.map(\.word) == ["value"])
        let gone = try Self.compare([Self.three], [Self.three], settings: (BinaryCookiesTests.settings, []))
        #expect(gone.settings.map(\.name) == ["deleted"])
    }

    @Test func limit() throws {
        let count = CookieDiff.changeLimit + 5
        let comparison = try Self.compare([], [(0..<count).map { Cookie(name: "\($0)") }])
        #expect(comparison.changes.count == CookieDiff.changeLimit)
        #expect(comparison.details.last?.content == .limit(Truncation("cookies", shown: 10_000, total: 10_005, isJudged: true)))
    }

    /// The reported changes of random files are complete: undoing them in the new file gives the old one.
    @Test(arguments: SeededGenerator.seeds)
    func changesAccountForAll(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            func cookies() -> [CookieFile.Cookie] {
                (0..<generator.number(0...6)).map { _ in
                    Cookie(name: generator.pick(["a", "b"]), value: [UInt8(generator.number(1...3))])
                }
            }
            let (old, new) = (cookies(), cookies())
            let comparison = try Self.compare([old], [new])
            func names(_ cookies: [CookieFile.Cookie]) -> [String] { cookies.map { "\($0.name) \($0.value)" }.sorted() }
            func side(_ side: (CookieChange.Field) -> DisplayValue?) -> [String] {
                comparison.changes.compactMap { change in
                    change.fields.first { $0.name == "value" }.flatMap(side).map { value in
                        guard case .string(let text)? = value.whole else { return "?" }
                        return "\(change.cookie) \(Array(text.utf8))"
                    }
                }
            }
            #expect((names(old) + side(\.new)).sorted() == (names(new) + side(\.old)).sorted(), "seed \(seed)")
        }
    }
}
