import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

@Suite struct NoiseRulesTests {
    private static func rules(_ elements: String) throws -> NoiseRules {
        try NoiseRules(try json("{\"CapsuleRules\":1,\"Rules\":[\(elements)]}"))
    }

    private static func classified(_ entries: EntryChange..., by rules: NoiseRules = NoiseRules()) -> [EntryChange] {
        var diff = ContainerDiff(old: .init(source: []), new: .init(source: []), entries: entries)
        rules.classify(&diff)
        return diff.entries
    }

    @Test(
        arguments: [
            ("Library/Saved Application State/x.savedState/data.data", "scene-sessions"),
            ("Library/SplashBoard/a", "splashboard"),
            ("Library/Caches/x/y", "caches"), ("SystemData/com.apple.chrono/a", "system"), ("tmp/a", "tmp"), ("tmp", "tmp"),
            ("SystemData/com.apple.AuthenticationServices/a", "system"), ("NewsstandArtwork/a.png", "system"),
            ("Library/Caches", "caches"), ("Library/CachesX", nil), ("Documents/tmp/a", nil), ("SystemData/x", nil),
            ("Library/Preferences/x.plist", nil), ("library/caches/x", nil), ("Documents", nil),
        ] as [(String, String?)])
    func whatIsBuiltIn(path: String, noise: String?) throws {
        for kind in [EntryChange.Kind.added, .deleted] {
            #expect(Self.classified(try entry(kind, path))[0].noise?.rawValue == noise)
        }
        let modified = Self.classified(try entry(.modified, path, textDetail, limitDetail))[0]
        let isDirectoryItself = path == "tmp" || path == "Library/Caches"
        #expect(modified.details[0].noise?.rawValue == (isDirectoryItself ? nil : noise))
        // Changes that are not shown are noise where all of them would be.
        #expect(modified.details[1].noise?.rawValue == (isDirectoryItself ? nil : noise))
        #expect(modified.noise == nil)
        #expect(modified.isNoise == (noise != nil && !isDirectoryItself))
    }

    @Test func coreDatasOwnRowsAndColumnsAreNoise() throws {
        let found = Self.classified(
            try entry(
                .modified, "Library/Model.sqlite", row(.modified, column("Z_OPT", 1, 2)),
                row(.modified, column("Z_OPT", 1, 2), column("ZTITLE", "a", "b")), row(.added, column("Z_OPT", nil, 1)),
                row(.modified, table: "Z_PRIMARYKEY", column("Z_MAX", 1, 2)), row(.added, table: "ACHANGE"),
                row(.modified, table: "OTHER", column("Z_OPT", 1, 2)), row(.deleted, table: "ATRANSACTION"),
                row(.modified, table: "Z_MODELCACHE", column("Z_CONTENT", .data([1]), .data([2]))),
                ChangeDetail(.schema(SchemaChange(.added, object: "table", name: "ACHANGE")))))[0]
        let core = NoiseClass.coreData
        #expect(found.details.map(\.noise) == [core, nil, nil, core, core, nil, core, core, nil])
        guard case .row(let row) = found.details[1].content else { throw SupportError("no row") }
        #expect(row.columns.map(\.noise) == [core, nil])
    }

    @Test func theLastRuleThatFitsDecides() throws {
        let rules = try Self.rules(
            """
            {"Class":"mine","Path":"Library/Caches/**"}, {"Class":"signal","Path":"Library/Caches/keep/**"},
            {"Class":"clock","Path":"*.plist","Pointer":"/last*","To":{"Is":"date"}},
            {"Class":"signal","Path":"a.plist","Pointer":"/lastSync"}
            """)
        let found = Self.classified(
            try entry(.added, "Library/Caches/x"), try entry(.added, "Library/Caches/keep/x"),
            try entry(
                .modified, "a.plist", try value("/lastLaunch", .date(1), .date(2)), try value("/lastSync", .date(1), .date(2)),
                try value("/lastLaunch", .date(1), 2), try value("/other", .date(1), .date(2))),
            try entry(.added, "b"), by: rules)
        #expect(found[0].noise == NoiseClass(rawValue: "mine"))
        #expect(found[1].noise == nil)
        #expect(found[2].details.map { $0.noise?.rawValue } == ["clock", nil, nil, nil])
        #expect(found[3].noise == nil)
    }

    @Test func whatHandlersFoundStandsUnlessAUserSaysOtherwise() throws {
        var cached = try entry(.modified, "Library/Caches/x.sqlite", textDetail)
        cached.details[0].noise = .sqlite
        var framing = try entry(.modified, "Documents/x.sqlite")
        framing.noise = .sqlite
        let builtIn = Self.classified(cached, framing)
        #expect(builtIn[0].details[0].noise == .sqlite)
        #expect(builtIn[1].noise == .sqlite)
        let signal = Self.classified(cached, framing, by: try Self.rules(#"{"Class":"signal","Path":"**"}"#))
        #expect(signal[0].details[0].noise == nil)
        #expect(signal[1].noise == nil)
        let other = Self.classified(cached, framing, by: try Self.rules(#"{"Class":"x","Path":"Documents/*","Kind":"modified"}"#))
        #expect(other[0].details[0].noise == .sqlite)
        #expect(other[1].noise?.rawValue == "x")
    }

    @Test func aColumnIsNoiseWhenAllPlacesInItAre() throws {
        let rules = try Self.rules(
            #"{"Class":"a","Table":"Note","Column":"ZBLOB","Pointer":"/a"},{"Class":"b","Column":"ZBLOB","Pointer":"/b"}"#)
        func change(_ pointers: String...) throws -> EntryChange {
            var blob = column("ZBLOB", .data([1]), .data([2]))
            blob.nested = try pointers.map { PlistChange(.modified(old: 1, new: 2), at: try PlistPointer($0)) }
            return try entry(.modified, "x.sqlite", row(.modified, blob))
        }
        let found = Self.classified(try change("/a", "/b"), try change("/a", "/c"), try change("/b"), try change(), by: rules)
        #expect(found.map { $0.details[0].noise?.rawValue } == ["a", nil, "b", nil])
    }

    @Test(
        arguments: [
            ("Library/Caches/a", "Library/Caches/b", "caches"), ("Library/Caches/a", "tmp/a", "tmp"),
            ("tmp/a", "Documents/a", nil),
            ("Documents/a", "tmp/a", nil), ("Documents/a", "Documents/b", nil),
        ] as [(String, String, String?)])
    func whatMovesIsNoiseIfBothPlacesAre(old: String, new: String, noise: String?) throws {
        let renamed = try entry(.renamed(from: try relativePath(old)), new)
        #expect(Self.classified(renamed)[0].noise?.rawValue == noise)
    }

    @Test func classesOfPathsCanBeLeftOut() throws {
        let rules = try Self.rules(#"{"Class":"logs","Path":"Documents/*.log"},{"Class":"clock","Path":"**","Pointer":"/t"}"#)
        func patterns(_ name: String) throws -> [String] {
            try rules.paths(of: NoiseClass(rawValue: name)).map { String(decoding: $0.pattern, as: UTF8.self) }
        }
        #expect(try patterns("caches") == ["Library/Caches/**", "Library/Caches"])
        #expect(try patterns("logs") == ["Documents/*.log"])
        let unknown = #expect(throws: OverlayError.self) { try patterns("cahces") }
        #expect(unknown?.message == "there is no class 'cahces'")
        #expect(unknown?.hint == "did you mean 'caches'?")
        for name in ["clock", "core-data", "sqlite"] {
            let pathless = #expect(throws: OverlayError.self) { try patterns(name) }
            #expect(pathless?.message == "the class '\(name)' has no path rules")
            #expect(pathless?.hint == "there are scene-sessions, splashboard, caches, system, tmp or logs")
        }
    }

    @Test func classesAreExplained() throws {
        let rules = try NoiseRules(
            try json(
                #"{"CapsuleRules":1,"Classes":{"clock":"times","caches":"mine"},"Rules":[{"Class":"clock","Path":"a","Note":"n"}]}"#
            ))
        #expect(rules.rules.last?.note == "n")
        #expect(rules.classes.filter { $0.name == .caches }.map(\.text) == ["mine"])
        #expect(rules.classes.contains(.init(NoiseClass(rawValue: "clock"), "times")))
        #expect(NoiseRules().rules.count == 6 + 1 + 2 * 8)
    }
}

/// Rules that are made from two idle captures hide the changes of a third, and nothing that differs from these.
@Suite struct LearnedRulesTests {
    private static func run(_ habits: [Run.Habit], _ seed: UInt64) throws -> ContainerDiff {
        var run = Run(seed: seed)
        return try run.changes(habits)
    }

    /// The entries that are not noise under rules that were written to a file and read again.
    private static func signals(_ document: PlistValue, _ diff: ContainerDiff) throws -> [EntryChange] {
        var diff = diff
        try NoiseRules(try PlistReader.read(try XMLPlistWriter.write(document)).value).classify(&diff)
        return diff.entries.filter { !$0.isNoise }
    }

    @Test(arguments: Run.Habit.allCases)
    func aThirdCaptureIsSilent(habit: Run.Habit) throws {
        let document = try LearnedRules.make(from: Self.run([habit], 1))
        #expect(document.dictionary?["Rules"]?.array?.isEmpty == false)
        for seed in 1...5 { #expect(try Self.signals(document, try Self.run([habit], UInt64(seed))) == []) }
    }

    @Test(arguments: SeededGenerator.seeds)
    func realChangesStillShow(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let habits = Run.Habit.allCases.filter { _ in random.isLucky(oneIn: 2) }
            let document = try LearnedRules.make(from: Self.run(habits, random.next()))
            var third = try Self.run(habits, random.next())
            #expect(try Self.signals(document, third) == [], "\(habits)")
            let real = try [
                entry(.modified, "Library/Preferences/com.x.plist", value("/onboarding", false, true)),
                entry(.modified, "Library/Preferences/com.x.plist", value("/lastLaunch", .date(1), "never")),
                entry(.modified, "Library/Preferences/com.x.plist", value("/session", .deleted("x"))),
                entry(.added, "Documents/cat.gif"), entry(.deleted, "Documents/logs/today.log"),
                entry(.added, "Library/Thumbs/x/1.png"),
                entry(.modified, "Library/Model.sqlite", row(.modified, column("ZTITLE", "a", "b"))),
                entry(.modified, "Library/Model.sqlite", row(.added, column("ZTITLE", nil, "b"))),
                entry(.modified, "Library/Model.sqlite", row(.deleted, table: "ZVISIT")), entry(.deleted, "Library/state.bin"),
                entry(.modified, "Documents/log.txt", bytesDetail),
            ]
            let change = random.pick(real)
            if let index = third.entries.firstIndex(where: { $0.path == change.path }) {
                third.entries[index].details += change.details
            } else {
                third.entries.append(change)
            }
            let isHidden = change.path.description == "Library/state.bin" && habits.contains(.replacedFile)
            if !isHidden { #expect(try Self.signals(document, third).map(\.path) == [change.path], "\(habits) \(change)") }
        }
    }

    @Test func whatIsNoiseAlreadyGivesNoRules() throws {
        var diff = comparison(
            try entry(.added, "Library/Caches/x"), try entry(.modified, "m.sqlite", row(.modified, column("Z_OPT", 1, 2))),
            try entry(.modified, "p.plist", try value("/t", .date(1), .date(2))))
        let existing = try NoiseRules(
            try json(#"{"CapsuleRules":1,"Rules":[{"Class":"clock","Path":"p.plist","Pointer":"/t"}]}"#))
        NoiseRules().classify(&diff)
        #expect(try LearnedRules.make(from: diff).dictionary?["Rules"]?.array?.count == 1)
        existing.classify(&diff)
        #expect(try LearnedRules.make(from: diff).dictionary?["Rules"] == [])
    }

    @Test func theNarrowestComesFirstAndLikeChangesAreOneRule() throws {
        let uuids = ["6B29FC40-CA47-1067-B31D-00DD010662DA", "00000000-CA47-1067-B31D-00DD010662DA"]
        let diff = comparison(
            try entry(.added, "logs/\(uuids[0]).log"), try entry(.added, "logs/\(uuids[1]).log"),
            try entry(
                .modified, "p.plist", try value("/t", .date(1), .date(2)), try value("/n", 1, "a"),
                try value("/o", .order(old: [], new: []))))
        let rules = try LearnedRules.make(from: diff).dictionary?["Rules"]?.array
        #expect(
            rules == [
                [
                    "Class": "learned", "Path": "p.plist", "Pointer": "/t", "To": ["Is": "date"], "Kind": "modified",
                    "Note": "seen once: p.plist /t: 2001-01-01T00:00:01Z → 2001-01-01T00:00:02Z",
                ],
                [
                    "Class": "learned", "Path": "p.plist", "Pointer": "/o", "Kind": "order",
                    "Note": "seen once: p.plist /o: order [] → []",
                ],
                [
                    "Class": "learned", "Path": "p.plist", "Pointer": "/n", "Kind": "modified",
                    "Note": #"seen once: p.plist /n: 1 → "a""#,
                ],
                [
                    "Class": "learned", "Path": "logs/????????-????-????-????-????????????.log", "Kind": ["added", "deleted"],
                    "Note": .string(PlistString("seen 2 times: logs/\(uuids[0]).log (added)")),
                ],
            ])
    }

    @Test func secretsAreInNoNote() throws {
        let cookie = CookieChange(
            .modified, domain: "d", path: "/", cookie: "sid", fields: [.init("value", old: .value("hush"), new: .value("hush!"))])
        let document = try LearnedRules.make(from: comparison(entry(.modified, "c", ChangeDetail(.cookie(cookie)))))
        #expect(document.description.contains("sid"))
        #expect(!document.description.contains("hush"))
    }
}
