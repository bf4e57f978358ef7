import CapsuleCore
import CapsulePropertyList
import CapsuleRules

/// Reads noise rules or an expectation. If they can be read, changes of every kind are judged, and the results must be consistent.
enum MatchesRound {
    private static let limits = PlistLimits(depth: 64, binaryObjects: 4096, outputBytes: 1 << 20)

    /// - Returns: the first property that does not hold; nil if all hold.
    static func runRules(_ bytes: [UInt8]) -> String? {
        guard let (document, _) = try? PlistReader.read(bytes, limits: limits) else { return nil }
        let rules: NoiseRules
        do throws(OverlayError) {
            rules = try NoiseRules(document)
        } catch {
            return complaint(about: error)
        }
        var classed = diff
        rules.classify(&classed)
        var again = classed
        rules.classify(&again)
        guard again.isDifferent == classed.isDifferent else { return "classed twice is not classed once" }
        for name in rules.classesOfPaths where (try? rules.paths(of: name)) == nil { return "a class of paths has none" }
        guard let learned = try? LearnedRules.make(from: classed), let more = try? NoiseRules(learned) else {
            return "what was learned can't be read"
        }
        var silent = diff
        NoiseRules(rules: rules.userRules + more.userRules).classify(&silent)
        // Changes that were not compared can't be learned.
        let isLoud = silent.entries.contains { entry in !entry.isNoise && !entry.details.contains { $0.isGap } }
        return isLoud ? "what was learned does not silence what it was learned from" : nil
    }

    /// - Returns: the first property that does not hold; nil if all hold.
    static func runExpectation(_ bytes: [UInt8]) -> String? {
        guard let (document, _) = try? PlistReader.read(bytes, limits: limits) else { return nil }
        let expectation: Expectation
        do throws(OverlayError) {
            expectation = try Expectation(document)
        } catch {
            return complaint(about: error)
        }
        let result = expectation.evaluate(diff)
        for finding in result.findings where result.description(of: finding, in: diff).isEmpty {
            return "a finding that says nothing"
        }
        // Clauses of `May` ignore noise.
        for clause in expectation.must + expectation.mustNot {
            let lines = diff.entries.reduce(into: UInt64(0)) { count, entry in
                let inside = entry.details.count { clause.match.fits($0, of: entry) }
                count += inside > 0 ? UInt64(inside) : clause.match.fits(entry) ? 1 : 0
            }
            let outcome = (result.must + result.mustNot).first { $0.clause == clause }
            guard outcome?.count == lines else { return "\(clause.match) fits \(lines) lines and counts \(outcome?.count ?? 0)" }
        }
        return nil
    }

    private static func complaint(about error: OverlayError) -> String? {
        error.message.isEmpty || error.source == nil ? "an error without words or place" : nil
    }

    /// Changes of every kind, with names and values that documents may name.
    private static let diff: ContainerDiff = {
        let uuid = "6B29FC40-CA47-1067-B31D-00DD010662DA"
        func path(_ text: String) -> RelativePath { (try? RelativePath(validating: Array(text.utf8))) ?? .root }
        func value(_ steps: [PlistString], _ kind: PlistChange.Kind) -> ChangeDetail {
            ChangeDetail(.value(PlistChange(kind, at: PlistPointer(steps: steps))))
        }
        var blob = RowChange.Column("ZBLOB", old: .value(.data([1])), new: .value(.data([2])))
        blob.nested = [PlistChange(.added("x"), at: PlistPointer(steps: ["a"]))]
        let title = RowChange.Column("ZTITLE", attribute: "title", old: .value("Draft"), new: .value("Final"))
        let count = RowChange.Column("Z_OPT", old: .value(1), new: .value(2))
        let key = [RowChange.Key("Z_PK", .value(12))]
        let preferences = EntryChange(
            .modified, at: path("Library/Preferences/com.x.plist"),
            details: [
                value(["onboarding", "done"], .modified(old: false, new: true)), value(["launches"], .modified(old: 7, new: 8)),
                value(["lastLaunch"], .added(.date(700_000_000))), value(["sessions", PlistString(uuid)], .deleted("x")),
                value(["list"], .order(old: [1, 2], new: [2, 1])), value([], .encoding(old: .binary, new: .xml)),
                ChangeDetail(.metadata(MetadataChange(.mode, old: .value("0644"), new: .value("0600")))),
                ChangeDetail(.encoding(EncodingChange(old: "binary", new: "xml"))), ChangeDetail(.limit(Truncation("changes"))),
            ])
        let store = EntryChange(
            .modified, at: path("Library/Model.sqlite"),
            details: [
                ChangeDetail(
                    .row(RowChange(.modified, table: "ZNOTE", entity: "Note", key: key, columns: [title, count, blob]))),
                ChangeDetail(.row(RowChange(.added, table: "ZNOTE", entity: "Note", key: key, columns: [title]))),
                ChangeDetail(.row(RowChange(.deleted, table: "ACHANGE", key: [], columns: []))),
                ChangeDetail(.schema(SchemaChange(.added, object: "table", name: "ZNEW", new: "CREATE TABLE ZNEW(a)"))),
                ChangeDetail(.text(TextChange(encoding: "utf-8", added: 1, deleted: 0, hunkCount: 1, hunks: []))),
                ChangeDetail(.bytes(BytesChange(oldSize: 1, newSize: 2, first: 0, equal: nil)), noise: .sqlite),
                ChangeDetail(
                    .cookie(
                        CookieChange(
                            .modified, domain: ".x.com", path: "/", cookie: "sid",
                            fields: [.init("value", old: .hidden("cookie"), new: .hidden("cookie"))]))),
            ])
        let entries = [
            EntryChange(.added, at: path("Documents/\(uuid).gif")), EntryChange(.deleted, at: path("Documents/old.gif")),
            EntryChange(.renamed(from: path("Documents/a.gif")), at: path("Documents/b.gif")),
            EntryChange(.modified, at: path("Library/Caches/x")), store, preferences, EntryChange(.type, at: path("tmp")),
        ]
        return ContainerDiff(old: .init(source: []), new: .init(source: []), entries: entries)
    }()
}
