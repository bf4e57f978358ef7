import CapsuleCore

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
