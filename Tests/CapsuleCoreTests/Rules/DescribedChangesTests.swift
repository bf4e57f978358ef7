import CapsuleHashing
import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

/// An expectation that is written from a comparison is met by a run that does the same again, and not by one that does more.
@Suite struct DescribedChangesTests {
    /// The habits whose numbers are compared exactly, in values and in names.
    private static let exact: Set<Run.Habit> = [.launchCount, .stampedLog]

    private static func run(_ habits: [Run.Habit], _ seed: UInt64) throws -> ContainerDiff {
        var run = Run(seed: seed)
        var diff = try run.changes(habits)
        NoiseRules().classify(&diff)
        return diff
    }

    private static func findings(_ document: PlistValue, _ diff: ContainerDiff) throws -> [String] {
        // The expectation as it is read from a file.
        let read = try PlistReader.read(try XMLPlistWriter.write(document)).value
        let result = try Expectation(read).evaluate(diff)
        return result.findings.map { result.description(of: $0, in: diff) }
    }

    @Test(arguments: Run.Habit.allCases)
    func aSecondRunMeetsIt(habit: Run.Habit) throws {
        let document = try Expectation.describing(Self.run([habit], 1))
        #expect(document.dictionary?["Must"]?.array?.isEmpty == false)
        #expect(try Self.findings(document, try Self.run([habit], 1)) == [])
        if !Self.exact.contains(habit) { #expect(try Self.findings(document, try Self.run([habit], 2)) == []) }
        #expect(try !Self.findings(document, comparison()).isEmpty)
    }

    @Test(arguments: SeededGenerator.seeds)
    func oneChangeMoreBreaksIt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(150) {
            var habits = Run.Habit.allCases.filter { _ in random.isLucky(oneIn: 2) }
            habits.removeAll { Self.exact.contains($0) }
            let document = try Expectation.describing(Self.run(habits, random.next()))
            let again = try Self.run(habits, random.next())
            #expect(try Self.findings(document, again) == [], "\(habits)")
            let extra = random.pick(Run.Habit.allCases.filter { !habits.contains($0) } + [.logFile, .historyRows, .cacheFile])
            var more = try Self.run(habits, random.next())
            for added in try Self.run([extra], random.next()).entries {
                if let index = more.entries.firstIndex(where: { $0.path == added.path }) {
                    more.entries[index].details += added.details
                } else {
                    more.entries.append(added)
                }
            }
            #expect(try !Self.findings(document, more).isEmpty, "\(habits) and \(extra)")
        }
    }

    @Test func aKeyMoreIsNamed() throws {
        let document = try Expectation.describing(
            comparison(try entry(.modified, "p.plist", try value("/done", false, true), try value("/at", .date(1), .date(2)))))
        let more = comparison(
            try entry(
                .modified, "p.plist", try value("/done", false, true), try value("/at", .date(1), .date(4)), try value("/x", 1, 2)
            ))
        #expect(try Self.findings(document, more) == ["not allowed: p.plist /x: 1 → 2"])
        let other = comparison(
            try entry(.modified, "p.plist", try value("/done", true, false), try value("/at", .date(1), .date(4))))
        #expect(
            try Self.findings(document, other) == [
                "p.plist /done: expected false → true, found true → false"
            ])
    }

    @Test func theDocumentIsWhatAPersonWouldWrite() throws {
        let uuid = "6B29FC40-CA47-1067-B31D-00DD010662DA"
        var noisy = try entry(.added, "Library/Caches/x")
        noisy.noise = .caches
        let diff = comparison(
            try entry(.added, "Documents/\(uuid).gif"), noisy,
            try entry(
                .modified, "a*.plist", try value("/done", false, true), try value("/id", .added(.string(PlistString(uuid)))),
                try value("/long", .added(.string(PlistString(String(repeating: "x", count: 200))))),
                try value("/url", .deleted(.string(PlistString("app://\(uuid)/[x]"))))),
            try entry(
                .modified, "m.sqlite", row(.modified, column("ZTITLE", "a", "b")), row(.deleted, column("ZTITLE", "a", nil))))
        let must = try #require(Expectation.describing(diff).dictionary?["Must"]?.array)
        #expect(
            must == [
                ["Path": "Documents/????????-????-????-????-????????????.gif", "Kind": "added", "Count": 1],
                ["Path": "a\\*.plist", "Pointer": "/done", "Kind": "modified", "From": false, "To": true],
                ["Path": "a\\*.plist", "Pointer": "/id", "Kind": "added", "To": ["Is": "uuid"]],
                [
                    "Path": "a\\*.plist", "Pointer": "/long", "Kind": "added",
                    "To": ["Digest": "aa20c23e3201834050679e1d88941b9a6fed0557c9a705cb2c315e2e63fd486d", "Is": "string"],
                ],
                [
                    "Path": "a\\*.plist", "Pointer": "/url", "Kind": "deleted",
                    "From": .string(PlistString("app://\(uuid)/[x]")),
                ],
                [
                    "Path": "m.sqlite", "Table": "ZNOTE", "Row": ["Z_PK": 12], "Column": "ZTITLE", "Kind": "modified",
                    "From": "a",
                    "To": "b",
                ],
                ["Path": "m.sqlite", "Table": "ZNOTE", "Row": ["Z_PK": 12, "ZTITLE": "a"], "Kind": "deleted"],
            ])
    }

    /// The times of a cookie that a later run sets are later by the same number of seconds.
    private static let later: @Sendable (inout CookieFile.Cookie) -> Void = {
        $0.created += 86_400.25
        $0.expires += 86_405
    }

    static let cookies: [(name: String, change: @Sendable (inout CookieFile.Cookie) -> Void)] = [
        ("domain", { $0.domain = "evil.example" }), ("path", { $0.path = "/x" }), ("name", { $0.name = "other" }),
        ("value", { $0.value = [1] }), ("flags", { $0.flags = 1 }), ("version", { $0.version = 9 }), ("port", { $0.port = 80 }),
        ("comment", { $0.comment = "c" }), ("URL", { $0.commentURL = "u" }), ("later expiry", { $0.expires += 3600 }),
        ("earlier expiry", { $0.expires -= 3600 }), ("no expiry", { $0.expires = 0 }), ("infinity", { $0.expires = .infinity }),
    ]

    /// A clause asks for the whole record of a cookie that a run adds, changes or deletes.
    @Test(arguments: cookies)
    func aCookieIsOneRecord(name: String, change: @Sendable (inout CookieFile.Cookie) -> Void) throws {
        func diff(_ old: CookieFile.Cookie?, _ new: CookieFile.Cookie?) throws -> ContainerDiff {
            let sides = try [old, new].map { try BinaryCookies(CookieFile(pages: [[$0].compactMap(\.self)]).bytes) }
            return comparison(try entry(.modified, "c", CookieDiff(sides[0], sides[1]).details))
        }
        let plain = CookieFile.Cookie()
        var fresh = plain
        (fresh.value, fresh.created, fresh.expires) = (Array("fresh".utf8), plain.created + 100, plain.expires + 100)
        var kept = plain
        kept.value = Array("kept".utf8)
        let runs: [(old: CookieFile.Cookie?, new: CookieFile.Cookie, isLater: Bool)] = [
            (nil, plain, true), (plain, fresh, true), (plain, kept, false),
        ]
        for (old, new, isLater) in runs {
            let document = try Expectation.describing(diff(old, new))
            var (other, again) = (new, new)
            change(&other)
            #expect(try !Self.findings(document, diff(old, other)).isEmpty)
            #expect(try !Self.findings(document, diff(old, nil)).isEmpty)
            #expect(try Self.findings(document, diff(old, new)) == [])
            if isLater { Self.later(&again) }
            #expect(try Self.findings(document, diff(old, again)) == [])
        }
    }

    /// A change that was described, and another one in its place.
    struct Variant: CustomTestStringConvertible, Sendable {
        let name: String
        let written: ChangeDetail
        let judged: ChangeDetail
        var passes = false
        var testDescription: String { name }

        init(_ name: String, _ written: ChangeDetail, _ judged: ChangeDetail, passes: Bool = false) {
            (self.name, self.written, self.judged, self.passes) = (name, written, judged, passes)
        }
    }

    private static let captured = 7e8
    private static let device = "/private/var/mobile/Containers/Data/Application/"
    private static let uuids = ["6B29FC40-CA47-1067-B31D-00DD010662DA", "11111111-2222-4333-8444-555555555555"]
    private static let uuidData: [[UInt8]] = [3, 5].map { [$0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, $0] }

    private static func attribute(_ name: String, _ value: [UInt8]) -> ChangeDetail {
        ChangeDetail(.metadata(MetadataChange(.attribute(Array(name.utf8)), old: nil, new: .value(.data(value)))))
    }

    private static func added(_ new: PlistValue, at pointer: String = "/k") throws -> ChangeDetail {
        ChangeDetail(.value(PlistChange(.added(new), at: try PlistPointer(pointer))))
    }

    private static func modified(_ old: PlistValue, _ new: PlistValue) throws -> ChangeDetail {
        ChangeDetail(.value(PlistChange(.modified(old: old, new: new), at: try PlistPointer("/k"))))
    }

    static let variants: [Variant] =
        (try? [
            Variant("short data", added(.data([1])), added(.data([2]))),
            Variant("a UUID in data", added(.data(uuidData[0])), added(.data(uuidData[1])), passes: true),
            Variant("16 bytes that are none", added(.data(uuidData[0])), added(.data([UInt8](repeating: 0, count: 16)))),
            Variant("a UID", added(.uid(1)), added(.uid(2))),
            Variant("data for a UID", added(.uid(1)), added(.data(Array("1".utf8)))),
            Variant("a date long ago", added(.date(captured - 1e7)), added(.date(captured - 1e7 + 1))),
            Variant("the same date long ago", added(.date(captured - 1e7)), added(.date(captured - 1e7)), passes: true),
            Variant("a date of the run", added(.date(captured)), added(.date(captured - 80_000)), passes: true),
            Variant("an old date for one of the run", added(.date(captured)), added(.date(captured - 90_000))),
            Variant("an old date", modified(.date(captured), 1), modified(.date(captured + 1), 1)),
            Variant("a text for data", added(.data(Array("x".utf8))), added("x")),
            Variant(
                "long data for a text", added(.string(PlistString(String(repeating: "x", count: 200)))),
                added(.data([UInt8](repeating: UInt8(ascii: "x"), count: 200)))),
            Variant("another key for one with an asterisk", added(1, at: "/a*"), added(1, at: "/ab")),
            Variant("a key with an asterisk", added(1, at: "/a*\\b"), added(1, at: "/a*\\b"), passes: true),
            Variant("another attribute", attribute("com.x.a", [1]), attribute("com.x.b", [1])),
            Variant("another value of an attribute", attribute("com.x.a", [1]), attribute("com.x.a", [2])),
            Variant(
                "the path of another installation", added(.string(PlistString("\(device)\(uuids[0])/Documents/a"))),
                added(.string(PlistString("\(device)\(uuids[1])/Documents/a"))), passes: true),
            Variant(
                "another file there", added(.string(PlistString("\(device)\(uuids[0])/Documents/a"))),
                added(.string(PlistString("\(device)\(uuids[1])/Documents/b")))),
            Variant(
                "a text before the path", added(.string(PlistString("\(device)\(uuids[0])/Documents/a"))),
                added(.string(PlistString("evil \(device)\(uuids[1])/Documents/a")))),
        ]) ?? []

    /// Each passed for a time although it differs, or is what a later run writes.
    @Test(arguments: variants)
    func whatAWrittenClauseLeavesOpen(_ variant: Variant) throws {
        var (written, copied, judged) = (
            comparison(try entry(.modified, "p", variant.written)),
            comparison(try entry(.modified, "p", variant.written)), comparison(try entry(.modified, "p", variant.judged))
        )
        (written.captured, copied.captured, judged.captured) = (Self.captured, 8e8, Self.captured)
        let document = try Expectation.describing(written)
        #expect(try Self.findings(document, written) == [])
        // The files of a copy are new.
        #expect(try Self.findings(document, copied) == [])
        #expect(try Self.findings(document, judged).isEmpty == variant.passes)
        // JSON holds it, too.
        #expect(throws: Never.self) { try JSONPlistWriter.write(document) }
    }

    @Test func thereAreVariants() { #expect(Self.variants.count > 15) }

    /// A clause for an added entry pins its mode and attributes, and one for a rename its source.
    @Test func whatAnEntryIs() throws {
        func file(_ kind: EntryChange.Kind, mode: UInt16? = 0o644, _ attributes: [ExtendedAttribute]? = []) throws
            -> ContainerDiff
        {
            var change = try entry(kind, "p")
            change.facts = (mode.map { FileMode($0) }, attributes)
            return comparison(change)
        }
        let mark = ExtendedAttribute(name: Array("com.x".utf8), value: [1])
        let document = try Expectation.describing(try file(.added))
        for (other, passes) in [
            (try file(.added), true), (try file(.added, mode: 0o600), false), (try file(.added, [mark]), false),
            // A zip holds neither.
            (try file(.added, mode: nil, nil), true),
        ] {
            #expect(try Self.findings(document, other).isEmpty == passes)
        }
        let moved = try Expectation.describing(comparison(try entry(.renamed(from: try relativePath("a")), "b")))
        for (source, passes) in [("a", true), ("c", false)] {
            let other = comparison(try entry(.renamed(from: try relativePath(source)), "b"))
            #expect(try Self.findings(moved, other).isEmpty == passes)
        }
    }

    /// Secrets are never written to a document, and values that no document can hold are left out.
    @Test func whatCantBeWrittenIsLeftOut() throws {
        let cookie = CookieChange(
            .modified, domain: "d", path: "/", cookie: "sid", fields: [.init("value", old: .value("old"), new: .value("new"))])
        let diff = comparison(
            try entry(.modified, "c", ChangeDetail(.cookie(cookie)), try value("/u", .uid(1), .null), try value("/a", [1], [2])))
        let must = try Expectation.describing(diff).dictionary?["Must"]?.array
        let absent: PlistValue = ["Is": "absent"]
        func digest(_ text: String) -> PlistString { PlistString(SHA256Hasher.digest(of: Array(text.utf8)).hex) }
        #expect(
            must == [
                [
                    "Path": "c", "Kind": "modified",
                    "Row": [
                        "domain": "d", "path": "/", "name": "sid", "value": ["Digest": .string(digest("new")), "Is": "string"],
                        "expires": absent,
                        "flags": absent, "port": absent, "version": absent, "comment": absent, "commentURL": absent,
                    ],
                    "Count": 1,
                ],
                [
                    "Path": "c", "Pointer": "/u", "Kind": "modified", "From": ["Digest": .string(digest("1")), "Is": "uid"],
                    "To": ["Is": "null"],
                ],
                [
                    "Path": "c", "Pointer": "/a", "Kind": "modified",
                    "From": ["Digest": .string(PlistString(try #require(StableValue.digest(of: [1])?.hex)))],
                    "To": ["Digest": .string(PlistString(try #require(StableValue.digest(of: [2])?.hex)))],
                ],
            ])
        #expect(try Self.findings(Expectation.describing(diff), diff) == [])
        let bytes = try RelativePath(validating: [0x61, 0xFF])
        let odd = comparison(EntryChange(.added, at: bytes))
        #expect(try Self.findings(Expectation.describing(odd), odd) == [])
    }
}
