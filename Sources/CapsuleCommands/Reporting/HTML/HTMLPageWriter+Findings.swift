import CapsuleCore

extension HTMLPageWriter {
    /// Findings that are listed before the rest is folded away, and those that are listed at all.
    private static let openFindings = 10
    private static let listedFindings = 200
    /// Changes that are listed below a finding.
    private static let listedChanges = 3
    /// Clauses that can't match anything and are listed.
    private static let listedWarnings = 20

    /// The verdict of the expectation, with a link to each finding's place.
    mutating func outcome() {
        guard let judged else { return }
        let result = judged.judgement.result
        out.raw(result.holds ? "<section class=\"judged ca\"" : "<section class=\"judged cd\"")
        out.raw(" id=\"~outcome\" aria-label=\"Expectation\">\n<p><strong>")
        out.raw(result.holds ? "Passed" : "Failed")
        out.raw("</strong> <span class=\"source\">")
        out.text(judged.judgement.file)
        out.raw("</span>: ")
        if result.holds {
            out.text(Quantity.changes(summary.counts.changes, isExact: diff.isExact))
        } else {
            out.text(Quantity.counted(result.findingCount, "finding", "findings"))
        }
        out.raw("</p>\n")
        let listed = min(judged.findings.count, Self.listedFindings)
        list(0..<min(listed, Self.openFindings), of: judged)
        if listed > Self.openFindings {
            out.raw("<details><summary>")
            out.text(Quantity.grouped(UInt64(listed - Self.openFindings)))
            out.raw(" more</summary>\n")
            list(Self.openFindings..<listed, of: judged)
            out.raw("</details>\n")
        }
        if result.findingCount > UInt64(listed) {
            out.raw("<p>")
            out.text(Quantity.counted(result.findingCount - UInt64(listed), "finding is", "findings are"))
            out.raw(" not listed.</p>\n")
        }
        warnings(result.unnoticed(diff.unmatchable))
        out.raw("</section>\n")
    }

    /// Clauses that nothing can match: a verdict says nothing of what they are about.
    private mutating func warnings(_ clauses: [UnmatchableClause]) {
        guard !clauses.isEmpty else { return }
        out.raw("<p>Warning: ")
        out.text(Quantity.counted(UInt64(clauses.count), "clause", "clauses"))
        out.raw(" can't match anything.</p>\n<ul>\n")
        for clause in clauses.prefix(Self.listedWarnings) {
            out.raw("<li>")
            line("\(clause.rule.name): \(clause.text)")
            if let hint = clause.hint {
                out.raw("<span class=\"seen\">")
                line(hint)
                out.raw("</span>")
            }
            out.raw("</li>\n")
        }
        out.raw("</ul>\n")
        if clauses.count > Self.listedWarnings {
            out.raw("<p>")
            out.text(Quantity.counted(UInt64(clauses.count - Self.listedWarnings), "clause is", "clauses are"))
            out.raw(" not listed.</p>\n")
        }
    }

    private mutating func list(_ numbers: Range<Int>, of judged: PageFindings) {
        guard !numbers.isEmpty else { return }
        out.raw("<ul>\n")
        for number in numbers {
            let finding = judged.findings[number]
            out.raw("<li>")
            openLink(judged.targets[number], number)
            line(finding.headline)
            if judged.targets[number] != nil { out.raw("</a>") }
            for line in finding.lines(limit: Self.listedChanges) {
                out.raw("<span class=\"seen\">")
                self.line(line)
                out.raw("</span>")
            }
            out.raw("</li>\n")
        }
        out.raw("</ul>\n")
    }

    private mutating func openLink(_ target: PageFindings.Target?, _ number: Int) {
        switch target {
        case nil: return
        case .mark:
            out.raw("<a href=\"#~f")
            out.number(number + 1)
        case .entry(let path):
            out.raw("<a href=\"#")
            out.anchor(path.bytes)
        }
        out.raw("\">")
    }

    /// The filter that leaves entries with findings alone.
    mutating func findingsChip() {
        guard let judged, !judged.spots.isEmpty else { return }
        out.raw("<label class=\"chip cd\"><input type=\"checkbox\" autocomplete=\"off\" id=\"f-x\">")
        out.raw("<span class=\"sign\" aria-hidden=\"true\">!</span> findings <b>")
        out.text(Quantity.grouped(UInt64(judged.spots.count)))
        out.raw("</b></label>")
    }

    /// Whether a change of an entry is a finding.
    func isFinding(at path: RelativePath) -> Bool { judged?.spots[path] != nil }

    /// Whether one is at or below a directory or an entry of the tree.
    func hasFinding(_ number: Int, of tree: EntryTree) -> Bool {
        guard let judged, !judged.spots.isEmpty else { return false }
        if let index = tree.nodes[number].entry, judged.spots[diff.entries[index].path] != nil { return true }
        return tree.nodes[number].children.contains { hasFinding($0, of: tree) }
    }

    /// Begins an entry: marks are written for its changes from here on. Says how many findings they show.
    mutating func beginFindings(of entry: EntryChange) {
        spots = judged?.spots[entry.path]
        guard let judged, let count = judged.spots[entry.path].map({ _ in judged.count(at: entry.path) }) else { return }
        out.raw("<span class=\"flag cd fx\">")
        out.text(count > 0 ? counted(count, "finding", "findings") : "findings")
        out.raw("</span> ")
        marks(nil)
    }

    /// What is found about a change, if anything: a mark for each finding.
    ///
    /// - Parameter content: the line inside the entry; nil for the entry's own.
    mutating func marks(_ content: ChangeDetail.Content?, column: String? = nil) {
        guard let spots, let judged, let marks = spots[PageFindings.Spot(content: content, column: column)] else { return }
        for mark in marks {
            let finding = judged.findings[mark.finding]
            out.raw("<span class=\"fx c")
            out.raw(finding.kind.letter)
            if mark.isTarget, linked.insert(mark.finding).inserted {
                out.raw("\" id=\"~f")
                out.number(mark.finding + 1)
            }
            if let rule = finding.rule {
                out.raw("\" title=\"")
                out.attribute("\(rule.name): \(rule.clause.text)")
            }
            out.raw("\">")
            out.raw(finding.kind.mark)
            out.raw("</span> ")
        }
    }

    /// The same on a line of its own.
    mutating func markLine(_ content: ChangeDetail.Content) {
        guard let spots, spots[PageFindings.Spot(content: content, column: nil)] != nil else { return }
        out.raw("<p class=\"fl\">")
        marks(content)
        out.raw("</p>\n")
    }
}

/// The verdict of an expectation, for a page.
struct PageJudgement {
    let result: ExpectationResult
    /// The expectation, as the user named it.
    let file: [UInt8]

    init(_ result: ExpectationResult, by file: [UInt8]) {
        self.result = result
        self.file = file
    }
}

/// What an expectation finds, and which changes on the page show it.
struct PageFindings {
    /// A change on the page: an entry's own line, a line inside, or a column of a row.
    struct Spot: Hashable {
        /// nil for the entry's own line.
        let content: ChangeDetail.Content?
        let column: String?
    }

    /// What is said at a change.
    struct Mark {
        /// The finding's number, from 0.
        let finding: Int
        /// Whether the finding's link leads here.
        let isTarget: Bool
    }

    /// Where a finding's link leads.
    enum Target {
        /// To its mark.
        case mark
        /// To an entry: the change itself is not on the page.
        case entry(RelativePath)
    }

    /// Marks of one page.
    private static let markLimit = 10_000

    let judgement: PageJudgement
    let findings: [ExpectationFinding]
    /// Where each finding's link leads; nil where there is no place.
    private(set) var targets: [Target?]
    /// The changes that are shown with marks, by the path of their entry.
    private(set) var spots: [RelativePath: [Spot: [Mark]]] = [:]

    /// - Parameter diff: the comparison; changes that are findings are no longer noise in it, so that the page shows them.
    init(_ judgement: PageJudgement, in diff: inout ContainerDiff) {
        self.judgement = judgement
        findings = judgement.result.report(on: diff)
        targets = findings.map { _ in nil }
        let marked = findings.enumerated().flatMap { number, finding in
            (finding.changes + [finding.nearest].compactMap { $0 }).map { (number, $0.reference) }
        }.prefix(Self.markLimit)
        for (_, reference) in marked { diff.show(reference) }
        for (number, reference) in marked where diff.entries.indices.contains(reference.entry) {
            let entry = diff.entries[reference.entry]
            guard reference.unshown == nil else {
                spots[entry.path, default: [:]][Spot(content: nil, column: nil), default: []] += []
                if targets[number] == nil { targets[number] = .entry(entry.path) }
                continue
            }
            let content = reference.detail.flatMap { entry.details.indices.contains($0) ? entry.details[$0].content : nil }
            let spot = Spot(content: content, column: reference.column)
            let isTarget = targets[number] == nil
            if isTarget { targets[number] = .mark }
            if spots[entry.path]?[spot]?.contains(where: { $0.finding == number }) ?? false { continue }
            spots[entry.path, default: [:]][spot, default: []].append(Mark(finding: number, isTarget: isTarget))
        }
    }

    /// How many findings an entry's changes show.
    func count(at path: RelativePath) -> Int { Set((spots[path] ?? [:]).values.joined().map(\.finding)).count }
}

extension ContainerDiff {
    /// Takes a change out of noise.
    fileprivate mutating func show(_ reference: ChangeReference) {
        guard entries.indices.contains(reference.entry), reference.unshown == nil else { return }
        guard let number = reference.detail, entries[reference.entry].details.indices.contains(number) else {
            entries[reference.entry].noise = nil
            return
        }
        entries[reference.entry].details[number].noise = nil
        guard let column = reference.column, case .row(var row) = entries[reference.entry].details[number].content else { return }
        for index in row.columns.indices where row.columns[index].name == column { row.columns[index].noise = nil }
        entries[reference.entry].details[number].content = .row(row)
    }
}

extension ExpectationFinding.Kind {
    /// What a mark says.
    var mark: StaticString {
        switch self {
        case .missing: "not as expected"
        case .miscounted: "wrong number"
        case .forbidden: "forbidden"
        case .unallowed: "not allowed"
        case .undecided: "can't be judged"
        case .cutShort: "incomplete"
        }
    }

    /// What style knows the color of a mark by.
    var letter: StaticString { self == .forbidden || self == .unallowed ? "d" : "m" }
}
