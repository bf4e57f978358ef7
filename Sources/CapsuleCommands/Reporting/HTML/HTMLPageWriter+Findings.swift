import CapsuleCore

extension HTMLPageWriter {
    /// The number of findings before the rest is folded, and the maximum number that is listed.
    private static let openFindings = 10
    private static let listedFindings = 200
    /// The number of changes that are listed below a finding.
    private static let listedChanges = 3
    /// The number of clauses that are listed among those that can't match anything.
    private static let listedWarnings = 20

    /// Writes the verdict of the expectation, with a link to the place of each finding.
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

    /// Writes the clauses that can't match anything: the verdict does not cover them.
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

    /// Writes the filter that shows only entries with findings.
    mutating func findingsChip() {
        guard let judged, !judged.locations.isEmpty else { return }
        out.raw("<label class=\"chip cd\"><input type=\"checkbox\" autocomplete=\"off\" id=\"f-x\">")
        out.raw("<span class=\"sign\" aria-hidden=\"true\">!</span> findings <b>")
        out.text(Quantity.grouped(UInt64(judged.locations.count)))
        out.raw("</b></label>")
    }

    /// Returns true if a change of an entry is a finding.
    func isFinding(at path: RelativePath) -> Bool { judged?.locations[path] != nil }

    /// Returns true if there is a finding at or below a directory or an entry of the tree.
    func hasFinding(_ number: Int, of tree: EntryTree) -> Bool {
        guard let judged, !judged.locations.isEmpty else { return false }
        if let index = tree.nodes[number].entry, judged.locations[diff.entries[index].path] != nil { return true }
        return tree.nodes[number].children.contains { hasFinding($0, of: tree) }
    }

    /// Begins an entry: from here on, marks are written for its changes. Writes the number of its findings.
    mutating func beginFindings(of entry: EntryChange) {
        locations = judged?.locations[entry.path]
        guard let judged, let count = judged.locations[entry.path].map({ _ in judged.count(at: entry.path) }) else { return }
        out.raw("<span class=\"flag cd fx\">")
        out.text(count > 0 ? counted(count, "finding", "findings") : "findings")
        out.raw("</span> ")
        marks(nil)
    }

    /// Writes a mark for each finding about a change.
    ///
    /// - Parameter content: the line inside the entry; nil for the entry itself.
    mutating func marks(_ content: ChangeDetail.Content?, column: String? = nil) {
        guard let locations, let judged, let marks = locations[PageFindings.ChangeLocation(content: content, column: column)]
        else { return }
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

    /// Writes the marks on a line of their own.
    mutating func markLine(_ content: ChangeDetail.Content) {
        guard let locations, locations[PageFindings.ChangeLocation(content: content, column: nil)] != nil else { return }
        out.raw("<p class=\"fl\">")
        marks(content)
        out.raw("</p>\n")
    }
}

/// The verdict of an expectation, for a page.
struct PageVerdict {
    let result: ExpectationResult
    /// The file of the expectation, as the user named it.
    let file: [UInt8]

    init(_ result: ExpectationResult, by file: [UInt8]) {
        self.result = result
        self.file = file
    }
}

/// The findings of an expectation, with the changes on the page that show them.
struct PageFindings {
    /// A change on the page: an entry itself, a line inside it, or a column of a row.
    struct ChangeLocation: Hashable {
        /// The line inside the entry; nil for the entry itself.
        let content: ChangeDetail.Content?
        let column: String?
    }

    /// A mark at a change.
    struct Mark {
        /// The number of the finding, from 0.
        let finding: Int
        /// True if the finding's link leads here.
        let isTarget: Bool
    }

    /// The target of a finding's link.
    enum Target {
        /// The finding's mark.
        case mark
        /// An entry, since the change itself is not on the page.
        case entry(RelativePath)
    }

    /// The maximum number of marks on a page.
    private static let markLimit = 10_000

    let judgement: PageVerdict
    let findings: [ExpectationFinding]
    /// The target of each finding's link; nil if there is none.
    private(set) var targets: [Target?]
    /// The changes that are shown with marks, by the path of their entry.
    private(set) var locations: [RelativePath: [ChangeLocation: [Mark]]] = [:]

    /// Finds the changes to mark.
    ///
    /// - Parameter diff: the comparison. Changes that are findings are no longer noise in it afterward, so that the page shows them.
    init(_ judgement: PageVerdict, in diff: inout ContainerDiff) {
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
                locations[entry.path, default: [:]][ChangeLocation(content: nil, column: nil), default: []] += []
                if targets[number] == nil { targets[number] = .entry(entry.path) }
                continue
            }
            let content = reference.detail.flatMap { entry.details.indices.contains($0) ? entry.details[$0].content : nil }
            let spot = ChangeLocation(content: content, column: reference.column)
            let isTarget = targets[number] == nil
            if isTarget { targets[number] = .mark }
            if locations[entry.path]?[spot]?.contains(where: { $0.finding == number }) ?? false { continue }
            locations[entry.path, default: [:]][spot, default: []].append(Mark(finding: number, isTarget: isTarget))
        }
    }

    /// Returns the number of findings that an entry's changes show.
    func count(at path: RelativePath) -> Int { Set((locations[path] ?? [:]).values.joined().map(\.finding)).count }
}

extension ContainerDiff {
    /// Removes a change from the noise.
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
    /// The text of a mark.
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

    /// The letter that selects the color of a mark in the style sheet.
    var letter: StaticString { self == .forbidden || self == .unallowed ? "d" : "m" }
}
