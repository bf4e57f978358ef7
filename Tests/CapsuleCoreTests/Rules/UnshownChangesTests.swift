import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

/// A change that a comparison finds and doesn't keep counts as if it were kept.
@Suite struct UnshownChangesTests {
    /// Returns a comparison in which each entry keeps only the first of its changes.
    private static func cut(_ diff: ContainerDiff, _ judge: ChangeJudge, _ random: inout SeededGenerator) -> ContainerDiff {
        var diff = diff
        for index in diff.entries.indices {
            let entry = diff.entries[index]
            let changes = entry.details.prefix { $0.isChange && $0.noise == nil }
            // Notes on the comparison itself come last. Elsewhere the order would differ.
            let isCut = changes.count == entry.details.count
            let kept = isCut ? Int(random.next() % UInt64(changes.count + 1)) : changes.count
            let taking = judge.entry(entry)
            for detail in changes[kept...] { taking.add(detail.content, isKept: false) }
            diff.entries[index].details.removeSubrange(kept..<changes.count)
            diff.entries[index] = taking.finished(diff.entries[index])
        }
        return diff
    }

    @Test(arguments: SeededGenerator.seeds)
    func whatIsNotKeptIsJudgedAsWhatIs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let habits = Run.Habit.allCases.filter { _ in random.isLucky(oneIn: 2) }
            var (first, second) = (Run(seed: random.next()), Run(seed: random.next()))
            var whole = try first.changes(habits)
            let plain = whole
            NoiseRules().classify(&whole)
            // An expectation of another run is met in part.
            var other = try second.changes(habits.filter { _ in random.isLucky(oneIn: 2) })
            NoiseRules().classify(&other)
            let expectation = try Expectation(Expectation.describing(other))
            let judge = ChangeJudge(Judging(expectation: expectation, learns: true))
            let cut = Self.cut(plain, judge, &random)

            let (wanted, found) = (expectation.evaluate(whole), expectation.evaluate(cut))
            #expect(found.findingCount == wanted.findingCount)
            #expect(found.must.map(\.count) == wanted.must.map(\.count))
            let texts = wanted.findings.map { wanted.description(of: $0, in: whole) }.sorted()
            #expect(found.findings.map { found.description(of: $0, in: cut) }.sorted() == texts)
            // The findings have the same places, values and nearest changes.
            let messages = wanted.report(on: whole).map(\.message).sorted()
            #expect(found.report(on: cut).map(\.message).sorted() == messages)
            #expect(Set(found.report(on: cut).compactMap(\.place)) == Set(wanted.report(on: whole).compactMap(\.place)))
            #expect(cut.counts.changes == whole.counts.changes)
            #expect(cut.counts.noise.map(\.changes) == whole.counts.noise.map(\.changes))
            #expect(cut.isDifferent == whole.isDifferent)
            #expect(cut.isExact)
            #expect(try LearnedRules.make(from: cut) == LearnedRules.make(from: whole))
        }
    }

    /// Changes that nothing judged may break an expectation, or be worth learning.
    @Test func anotherVerdictIsNoVerdict() throws {
        var entry = try entry(.modified, "p.plist", try value("/b", 1, 2))
        let judge = ChangeJudge(Judging()).entry(entry)
        judge.add(try value("/a", 1, 2).content, isKept: false)
        entry = judge.finished(entry)
        let diff = comparison(entry, isComplete: false)
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Pointer":"/a"}]}"#))
        #expect(expectation.evaluate(diff).findings == [.cutShort])
        #expect(throws: OverlayError.self) { try LearnedRules.make(from: diff) }
        #expect(throws: OverlayError.self) { try Expectation.describing(diff) }
    }

    /// The changes of a comparison that failed don't count, because another one compares the same content.
    @Test func failedComparisonsAreForgotten() throws {
        let clause = try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Pointer":"/a"}]}"#)
        let expectation = try Expectation(clause)
        var entry = try entry(.modified, "p.plist")
        let judge = ChangeJudge(Judging(expectation: expectation, learns: true)).entry(entry)
        judge.add(try value("/a", 1, 2).content, isKept: false)
        judge.restart()
        judge.add(try value("/b", 1, 2).content, isKept: false)
        entry = judge.finished(entry)
        #expect(entry.unshown.count == 1)
        let diff = comparison(entry)
        #expect(expectation.evaluate(diff).holds)
        #expect(try LearnedRules.make(from: diff).dictionary?["Rules"]?.array?.count == 1)
    }

    /// Changes that break an expectation are listed up to a limit, and counted beyond it.
    @Test func findingsAreCounted() throws {
        let expectation = Expectation()
        var entry = try entry(.modified, "p.plist")
        let judge = ChangeJudge(Judging(expectation: expectation)).entry(entry)
        for number in 0..<5_000 { judge.add(try value("/k\(number)", 1, 2).content, isKept: false) }
        entry = judge.finished(entry)
        let result = expectation.evaluate(comparison(entry))
        #expect(result.findingCount == 5_000)
        #expect(result.findings.count == ExpectationResult.keptFindings)
        let diff = comparison(entry)
        #expect(result.description(of: result.findings[0], in: diff) == "not allowed: p.plist /k0: 1 → 2")
    }

    @Test(arguments: [
        (#"{"To":"secret"}"#, true), (#"{"To":{"Like":"s*"}}"#, true), (#"{"To":{"Is":"string"},"Column":"ZPIN"}"#, true),
        (#"{"To":{"Is":"absent"},"Column":"ZPIN"}"#, false),
        (#"{"Column":"ZTITLE","To":"b"}"#, false), (#"{"Column":"ZTITLE","To":"c"}"#, false),
    ])
    func hiddenValuesAreNotTakenForOthers(clause: String, isUndecided: Bool) throws {
        let pin = RowChange.Column("ZPIN", old: .hidden("keychain"), new: .hidden("keychain"))
        let diff = comparison(try entry(.modified, "m.sqlite", row(.modified, pin, column("ZTITLE", "a", "b"))))
        let expectation = try Expectation(try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[\#(clause)]}"#))
        #expect(expectation.evaluate(diff).findings.contains(.undecided(.mustNot, 0)) == isUndecided)
    }

    @Test(arguments: [("xxxy", false), ("xxxyz", true), ("axxyz", false)])
    func cutValuesMayBeWhatIsForbidden(text: String, isUndecided: Bool) throws {
        let long = RowChange.Column("ZTEXT", old: .value("a"), new: .textHead("xxx", count: 5))
        let diff = comparison(try entry(.modified, "m.sqlite", row(.modified, long)))
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Column":"ZTEXT","To":"\#(text)"}]}"#))
        #expect(expectation.evaluate(diff).findings == (isUndecided ? [.undecided(.mustNot, 0)] : []))
    }

    /// A property list in a row that was not compared inside may have any key, with any kind of change.
    @Test(arguments: [NestedGap.notKept, .oneSided, .unreadable, nil], [nil, "value", "added", "order", "bytes"])
    func whatWasNotLookedIntoMayHoldWhatIsForbidden(gap: NestedGap?, kind: String?) throws {
        var blob = column("ZSTATE", .data([1]), .data([2]))
        blob.nestedGap = gap
        let diff = comparison(try entry(.modified, "m.sqlite", row(.modified, blob)))
        let kinds = kind.map { #","Kind":"\#($0)""# } ?? ""
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Column":"ZSTATE","Pointer":"/<plist>/a"\#(kinds)}]}"#)
        )
        let result = expectation.evaluate(diff)
        #expect(result.findings == (gap != nil && kind != "bytes" ? [.undecided(.mustNot, 0)] : []))
        #expect(result.wantsValues == (gap == .notKept && kind != "bytes"))
    }

    /// A guard of a secret is decided, and a document that is written from a comparison contains its digest alone.
    @Test(arguments: [
        (#""To":{"Is":"string"}"#, true), (#""To":{"Is":"data"}"#, false), (#""To":"open-sesame""#, true), (#""From":2"#, false),
        (#""To":{"Digest":"41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb"}"#, false),
        (#""To":{"Digest":"\#(SHA256Hasher.digest(of: Array("open-sesame".utf8)).hex)"}"#, true),
    ])
    func secretsAreJudged(clause: String, isForbidden: Bool) throws {
        let change = PlistChange(.modified(old: "x", new: "open-sesame"), at: try PlistPointer("/accessToken"))
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Pointer":"/accessToken",\#(clause)}]}"#))
        let diff = comparison(try entry(.modified, "m", ChangeDetail(.value(change))))
        #expect(expectation.evaluate(diff).findings == (isForbidden ? [.forbidden(0)] : []))
        let shown = diff.hidingSecrets()
        #expect(shown.hiddenSecrets == 1)
        #expect(!"\(expectation.evaluate(diff).report(on: shown).map(\.changes))".contains("sesame"))
        let written = try Expectation.describing(diff)
        #expect(!"\(written)".contains("sesame") && "\(written)".contains("Digest"))
        #expect(try Expectation(written).evaluate(diff).holds)
    }

    /// A property list that could not be read may have any key.
    @Test(arguments: [
        (#"{"Pointer":"/a"}"#, true), (#"{"Kind":"schema"}"#, false), (#"{"Kind":"value"}"#, true),
        (#"{"Kind":"encoding"}"#, true), (#"{"Kind":"row"}"#, false), (#"{"Kind":["row","order"]}"#, true),
        (#"{"Path":"other","Pointer":"/a"}"#, false),
    ])
    func lesserMeansDecideNothing(clause: String, isUndecided: Bool) throws {
        let fallback = ChangeDetail(
            .fallback(HandlerFallback(side: .b, from: "plist", to: "bytes", reason: "is damaged")))
        let diff = comparison(try entry(.modified, "p.plist", fallback, bytesDetail))
        let expectation = try Expectation(try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[\#(clause)]}"#))
        #expect(expectation.evaluate(diff).findings == (isUndecided ? [.undecided(.mustNot, 0)] : []))
        // A rule that makes changes signals matches whatever the clause may match.
        var ruled = diff
        try rules(#"{"Class":"mine","Path":"**"},{"Class":"signal",\#(clause.dropFirst())"#).classify(&ruled)
        #expect(ruled.isDifferent == isUndecided)
        try rules(#"{"Class":"signal",\#(clause.dropFirst()),{"Class":"mine","Path":"**"}"#).classify(&ruled)
        #expect(!ruled.isDifferent)
    }

    /// Changes that a limit cut off may be anything inside the file. Changes that are only not shown were judged.
    @Test(arguments: [true, false])
    func limitsHideNoSignal(isJudged: Bool) throws {
        var diff = comparison(
            try entry(.modified, "m.sqlite", bytesDetail, ChangeDetail(.limit(Truncation("time", isJudged: isJudged)))))
        try rules(#"{"Class":"mine","Path":"**"},{"Class":"signal","Path":"**","Table":"t"}"#).classify(&diff)
        #expect(diff.isDifferent == !isJudged)
    }

    /// The places in a cell start with the step into its value.
    @Test(arguments: [
        ("/debugMenu", false), ("", false), ("/<plist", false), ("/<plist>", true), ("/<archive>/$top", true), ("/*/a", true),
        ("debugMenu", true), ("**", true), ("/<*>/a/**", true), ("/**/a", true), ("/a/**", false),
    ])
    func placesInCellsBeginAtTheirValue(pointer: String, isUndecided: Bool) throws {
        var blob = column("ZSTATE", .data([1]), .data([2]))
        blob.nestedGap = .unreadable
        let diff = comparison(try entry(.modified, "m.sqlite", row(.modified, blob)))
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Pointer":"\#(pointer)"}]}"#))
        #expect(expectation.evaluate(diff).findings == (isUndecided ? [.undecided(.mustNot, 0)] : []))
    }

    /// So do the places in data of a property list.
    @Test(arguments: [
        ("/d/<plist>/a", nil, true), ("/d/<archive>/**", nil, true), ("/d/<plist>/a", "order", true),
        ("/d/<plist>/a", "bytes", false), ("/d/a", nil, false), ("/e/<plist>/a", nil, false), ("a", nil, true),
    ])
    func dataOfPropertyListsMayHoldWhatIsForbidden(pointer: String, kind: String?, isUndecided: Bool) throws {
        let kinds = kind.map { #","Kind":"\#($0)""# } ?? ""
        let clause = #""Pointer":"\#(pointer)"\#(kinds)"#
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{\#(clause)}]}"#))
        let noise = try rules(#"{"Class":"mine","Path":"**"},{"Class":"signal",\#(clause)}"#)
        for gap in [NestedGap.unreadable, .oneSided, nil] {
            let change = PlistChange(
                .modified(old: .data([1]), new: .data([2])), at: try PlistPointer("/d"), nestedGap: gap)
            var diff = comparison(try entry(.modified, "p.plist", ChangeDetail(.value(change))))
            #expect(
                expectation.evaluate(diff).findings == (isUndecided && gap != nil ? [.undecided(.mustNot, 0)] : []))
            noise.classify(&diff)
            #expect(diff.isDifferent == (isUndecided && gap != nil))
        }
    }

    private func rules(_ list: String) throws -> NoiseRules {
        try NoiseRules(try json(#"{"CapsuleRules":1,"Rules":[\#(list)]}"#))
    }
}
