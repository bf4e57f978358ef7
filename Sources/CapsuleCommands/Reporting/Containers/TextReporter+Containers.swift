import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8] {
        let entries = EntryText(reporter: self, isFull: style.isFull, showsNoise: style.showsNoise)
        var report: [UInt8] = []
        for entry in diff.entries { report += entries.lines(of: entry) }
        return report + judged(diff, style) + noise(in: diff, style)
    }

    /// How many changes were judged, where not all of them are shown.
    private func judged(_ diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let counts = diff.counts
        let unshown = diff.entries.reduce(0) { $0 + (style.showsNoise ? $1.unshown.count : $1.unshown.signals) }
        guard unshown > 0 else { return [] }
        let all = counts.changes + (style.showsNoise ? counts.noiseChanges : 0)
        let way = style.isFull ? "" : "; --full shows all"
        return text(
            styled(
                "\(Quantity.changes(all, isExact: diff.isExact)), \(Quantity.grouped(UInt64(all - unshown))) of them shown\(way)",
                2)
                + "\n")
    }

    /// What does not hold of an expectation, or that it holds.
    func judged(_ result: ExpectationResult, of diff: ContainerDiff, by file: [UInt8]) -> [UInt8] {
        let findings = result.report(on: diff)
        guard !findings.isEmpty else {
            let changes = Quantity.changes(diff.counts.changes, isExact: diff.isExact)
            return name(file) + text(": \(styled("passed", 32)): \(changes)\n")
        }
        var report: [UInt8] = []
        for finding in findings {
            report += text(styled("! ", 31) + shown(finding.headline) + "\n")
            for line in finding.lines(limit: Self.shownChanges) { report += text("    " + shown(line) + "\n") }
        }
        let count = Quantity.counted(result.findingCount, "finding", "findings")
        let all = result.findingCount
        let shown = all > findings.count ? ", \(Quantity.grouped(UInt64(findings.count))) shown" : ""
        return report + name(file) + text(": \(styled("failed", 31)): \(count)\(shown)\n")
    }

    /// Changes that are listed below a finding.
    private static let shownChanges = 3

    private func shown(_ line: String) -> String { QuotedBytes(Array(line.utf8)).text }

    /// How much is hidden, and of what.
    func noise(in diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let counts = diff.counts
        guard counts.noiseChanges > 0, !style.showsNoise else { return [] }
        let classes = counts.noise.map { "\(QuotedBytes(Array($0.noise.rawValue.utf8)).text) \($0.changes)" }
        return text(
            styled(
                "\(Quantity.changes(counts.noiseChanges, isExact: diff.isExact)) hidden as noise "
                    + "(\(classes.joined(separator: ", "))); --all shows them", 2) + "\n")
    }

    /// `bytes` in a color of ECMA-48 (SGR), if styled.
    func styled(_ bytes: [UInt8], _ color: Int) -> [UInt8] {
        isStyled ? text("\u{1B}[\(color)m") + bytes + text("\u{1B}[0m") : bytes
    }
}
