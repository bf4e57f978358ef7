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
