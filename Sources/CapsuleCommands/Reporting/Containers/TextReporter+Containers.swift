import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let entries = EntryText(reporter: self, isFull: style.isFull, showsNoise: style.showsNoise)
        var report: [UInt8] = []
        for entry in diff.entries { report += entries.lines(of: entry) }
        return report + noise(in: diff, style)
    }

    /// How much is hidden, and of what.
    func noise(in diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let counts = diff.counts
        guard counts.noiseChanges > 0, !style.showsNoise else { return [] }
        let classes = counts.noise.map { "\(QuotedBytes(Array($0.noise.rawValue.utf8)).text) \($0.changes)" }
        return text(
            styled(
                "\(Quantity.counted(UInt64(counts.noiseChanges), "change", "changes")) hidden as noise "
                    + "(\(classes.joined(separator: ", "))); --all shows them", 2) + "\n")
    }

    /// `bytes` in a color of ECMA-48 (SGR), if styled.
    func styled(_ bytes: [UInt8], _ color: Int) -> [UInt8] {
        isStyled ? text("\u{1B}[\(color)m") + bytes + text("\u{1B}[0m") : bytes
    }
}
