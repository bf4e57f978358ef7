import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

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
        let diff = comparison(
            try entry(.added, "Library/Caches/x"), try entry(.modified, "m.sqlite", row(.modified, column("Z_OPT", 1, 2))),
            try entry(.modified, "p.plist", try value("/t", .date(1), .date(2))))
        let existing = try NoiseRules(
            try json(#"{"CapsuleRules":1,"Rules":[{"Class":"clock","Path":"p.plist","Pointer":"/t"}]}"#))
        #expect(try LearnedRules.make(from: diff, existing: existing).dictionary?["Rules"] == [])
        #expect(try LearnedRules.make(from: diff).dictionary?["Rules"]?.array?.count == 1)
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
