import CapsuleCore
import CapsuleRules

extension HTMLPageWriter {
    /// The number of findings before the rest is folded, and the maximum number that is listed.
    private static let openFindings = 10
    private static let listedFindings = 200
    private static let listedChanges = 3
    private static let listedWarnings = 20

    mutating func commandOutcome() {
        guard let command else { return }
        write(
            """
            <section class="judged c\(if: command.failure == nil, "a", else: "d")" aria-label="Command">
            <p><strong>\(if: command.failure == nil, "Passed", else: "Failed")</strong> \
            <span class="source">\(command.name)</span>\(command.failure.map { ": \($0)" })</p>
            </section>\n
            """)
    }

    /// Writes the verdict of the expectation, with a link to the place of each finding.
    mutating func outcome() {
        guard let judged else { return }
        let result = judged.judgement.result
        let count =
            result.holds
            ? Quantity.changes(summary.counts.changes, isExact: diff.isExact)
            : Quantity.counted(result.findingCount, "finding", "findings")
        write(
            """
            <section class="judged c\(if: result.holds, "a", else: "d")" id="~outcome" aria-label="Expectation">
            <p><strong>\(result.holds ? command?.failure == nil ? "Passed" : "No findings" : "Failed")</strong> \
            <span class="source">\(judged.judgement.file)</span>: \(count)</p>\n
            """)
        let listed = min(judged.findings.count, Self.listedFindings)
        write(list(0..<min(listed, Self.openFindings), of: judged))
        if listed > Self.openFindings {
            write(
                """
                <details><summary>\(grouped(listed - Self.openFindings)) more</summary>
                \(list(Self.openFindings..<listed, of: judged))</details>\n
                """)
        }
        if result.findingCount > UInt64(listed) {
            write("<p>\(Quantity.counted(result.findingCount - UInt64(listed), "finding is", "findings are")) not listed.</p>\n")
        }
        warnings(result.warnings)
        write("</section>\n")
    }

    /// Writes the clauses that can't match anything: the verdict does not cover them.
    private mutating func warnings(_ clauses: [UnmatchableClause]) {
        guard !clauses.isEmpty else { return }
        write("<p>Warning: \(counted(clauses.count, "clause", "clauses")) can't match anything.</p>\n<ul>\n")
        for clause in clauses.prefix(Self.listedWarnings) {
            write("<li>\(line("\(clause.rule.name): \(clause.text)"))\(clause.hint.map { seen($0) })</li>\n")
        }
        write("</ul>\n")
        if clauses.count > Self.listedWarnings {
            write("<p>\(counted(clauses.count - Self.listedWarnings, "clause is", "clauses are")) not listed.</p>\n")
        }
    }

    private mutating func list(_ numbers: Range<Int>, of judged: PageFindings) -> HTML {
        if numbers.isEmpty { return "" }
        let items: [HTML] = numbers.map { number in
            let finding = judged.findings[number]
            let headline = line(finding.headline)
            return """
                <li>\(judged.targets[number].map { link(to: $0, of: number, headline) } ?? headline)\
                \(finding.lines(limit: Self.listedChanges).map { seen($0) })</li>\n
                """
        }
        return "<ul>\n\(items)</ul>\n"
    }

    private mutating func seen(_ text: String) -> HTML { #"<span class="seen">\#(line(text))</span>"# }

    private func link(to target: PageFindings.Target, of number: Int, _ text: HTML) -> HTML {
        switch target {
        case .mark: ##"<a href="#~f\##(number + 1)">\##(text)</a>"##
        case .entry(let path): ##"<a href="#\##(anchor: path.bytes)">\##(text)</a>"##
        }
    }

    var findingsChip: HTML? {
        guard let judged, !judged.locations.isEmpty else { return nil }
        return """
            <label class="chip cd"><input type="checkbox" autocomplete="off" id="f-x">\
            <span class="sign" aria-hidden="true">!</span> findings <b>\(Quantity.grouped(judged.judgement.result.findingCount))</b></label>
            """
    }

    func isFinding(at path: RelativePath) -> Bool { judged?.locations[path] != nil }

    func hasFinding(_ number: Int, of tree: EntryTree) -> Bool {
        guard let judged, !judged.locations.isEmpty else { return false }
        if let index = tree.nodes[number].entry, judged.locations[diff.entries[index].path] != nil { return true }
        return tree.nodes[number].children.contains { hasFinding($0, of: tree) }
    }

    /// Begins an entry: from here on, its changes have marks.
    /// - Returns: the number of its findings.
    mutating func beginFindings(of entry: EntryChange) -> HTML? {
        locations = judged?.locations[entry.path]
        guard let judged, locations != nil else { return nil }
        let count = judged.count(at: entry.path)
        let text = count > 0 ? counted(count, "finding", "findings") : "findings"
        return #"<span class="flag cd fx">\#(text)</span> \#(marks(nil))"#
    }

    /// Returns a mark for each finding about a change.
    /// - Parameter content: the line inside the entry; nil for the entry itself.
    mutating func marks(_ content: ChangeDetail.Content?, column: String? = nil) -> [HTML] {
        guard let locations, let judged, let marks = locations[PageFindings.ChangeLocation(content: content, column: column)]
        else { return [] }
        return marks.map { mark in
            let finding = judged.findings[mark.finding]
            let isLinked = mark.isTarget && linked.insert(mark.finding).inserted
            let title = finding.rule.map { "\($0.name): \($0.clause.text)" }
            return """
                <span class="fx c\(finding.kind.letter)"\(if: isLinked, #" id="~f\#(mark.finding + 1)""#)\
                \(title.map { #" title="\#(attribute: $0)""# })>\(finding.kind.mark)</span>\u{20}
                """
        }
    }

    mutating func markLine(_ content: ChangeDetail.Content) {
        guard let locations, locations[PageFindings.ChangeLocation(content: content, column: nil)] != nil else { return }
        write(#"<p class="fl">\#(marks(content))</p>\#n"#)
    }
}

/// The verdict of an expectation, for a page.
struct PageVerdict {
    let result: ExpectationResult
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

    struct Mark {
        /// The number of the finding, from 0.
        let finding: Int
        /// True if the finding's link leads here.
        let isTarget: Bool
    }

    enum Target {
        case mark
        /// An entry, since the change itself is not on the page.
        case entry(RelativePath)
    }

    private static let markLimit = 10_000

    let judgement: PageVerdict
    let findings: [ExpectationFinding]
    private(set) var targets: [Target?]
    private(set) var locations: [RelativePath: [ChangeLocation: [Mark]]] = [:]

    /// Finds the changes to mark.
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

    func count(at path: RelativePath) -> Int { Set((locations[path] ?? [:]).values.joined().map(\.finding)).count }
}

extension ContainerDiff {
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
    var mark: StaticString {
        switch self {
        case .missing, .mismatch: "not as expected"
        case .miscounted: "wrong number"
        case .forbidden: "forbidden"
        case .unallowed: "not allowed"
        case .undecided: "can't be judged"
        case .cutShort: "incomplete"
        }
    }

    var letter: StaticString { self == .forbidden || self == .unallowed ? "d" : "m" }
}
