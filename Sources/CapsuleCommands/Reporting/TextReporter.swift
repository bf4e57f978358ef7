import CapsuleCore
import CapsuleEngine

/// Reports for people.
struct TextReporter: Reporter {
    /// Whether names are made safe to look at; on a pipe they go as they are.
    let escapesNames: Bool
    let isStyled: Bool

    func packed(_ outcome: Packer.Outcome) -> [UInt8] {
        let manifest = outcome.manifest
        return name(outcome.path.bytes)
            + text(
                ": version \(manifest.version), \(Quantity.counted(manifest.entries, "entry", "entries")), "
                    + "\(Quantity.bytes(manifest.bytes)) in \(Quantity.bytes(outcome.added))"
                    + (outcome.added < outcome.length ? ", \(Quantity.bytes(outcome.length)) in all\n" : "\n"))
    }

    func unpacked(_ outcome: UnpackOutcome) -> [UInt8] {
        name(outcome.path.bytes)
            + text(": \(Quantity.counted(outcome.entries, "entry", "entries")), \(Quantity.bytes(outcome.bytes))\n")
    }

    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8] {
        var report: [UInt8] = []
        for finding in outcome.findings {
            report += name(argument) + text(": " + (finding.version.map { "version \($0): " } ?? ""))
            if let path = finding.path { report += name(path) + text(": ") }
            report += text(finding.message + "\n")
        }
        report += name(argument) + text(": ")
        if outcome.isWhole {
            report += text(
                styled("whole", 32)
                    + ": \(Quantity.counted(UInt64(outcome.versions), "version", "versions")), "
                    + "\(Quantity.counted(outcome.entries, "entry", "entries")), \(Quantity.bytes(outcome.bytes))\n")
        } else {
            report += text(
                styled("damaged", 31) + ": \(Quantity.counted(UInt64(outcome.findings.count), "finding", "findings"))\n")
        }
        return report
    }

    func listingStart(as argument: [UInt8]) -> [UInt8] { [] }

    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool) -> [UInt8] {
        var report: [UInt8] = []
        report.reserveCapacity(entries.count * (isLong ? 192 : 64))
        var line = isLong ? LongLine(for: listing) : nil
        for entry in entries {
            line?.append(entry, to: &report)
            if escapesNames { report += name(entry.path.bytes) } else { report += entry.path.bytes }
            if isLong, entry.kind == .link { report += text(" -> ") + name(entry.target) }
            report.append(UInt8(ascii: "\n"))
        }
        return report
    }

    func listingEnd(entries: UInt64) -> [UInt8] { [] }

    func name(_ bytes: [UInt8]) -> [UInt8] {
        escapesNames ? text(QuotedBytes(bytes).text) : bytes
    }

    func text(_ string: String) -> [UInt8] { Array(string.utf8) }

    /// `string` in a color of ECMA-48 (SGR), if styled.
    func styled(_ string: String, _ color: Int) -> String {
        isStyled ? "\u{1B}[\(color)m\(string)\u{1B}[0m" : string
    }
}
