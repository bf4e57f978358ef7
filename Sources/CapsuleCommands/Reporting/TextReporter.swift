import CapsuleCore
import CapsuleEngine

/// Reports for people.
struct TextReporter: Reporter {
    /// Whether names are made safe to look at; on a pipe they go as they are.
    let escapesNames: Bool
    let isStyled: Bool
    /// The columns of the terminal that long lines are broken at; nil for a pipe, which gets each as it is.
    var width: Int?
    /// Whether `ls -l` shows digests whole.
    var showsFullDigests = false

    func packed(_ outcome: Packer.Outcome) -> [UInt8] {
        let manifest = outcome.manifest
        return name(outcome.path.bytes)
            + text(
                ": version \(manifest.version), \(Quantity.counted(manifest.entries, "entry", "entries")), "
                    + "\(Quantity.bytes(manifest.bytes)) stored in \(Quantity.bytes(outcome.added))"
                    + (outcome.added < outcome.length ? "; the file has \(Quantity.bytes(outcome.length))\n" : "\n"))
    }

    func unpacked(_ outcome: UnpackOutcome) -> [UInt8] {
        name(outcome.path.bytes)
            + text(": \(Quantity.counted(outcome.entries, "entry", "entries")), \(Quantity.bytes(outcome.bytes))\n")
    }

    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8] {
        var report: [UInt8] = []
        for group in outcome.groups { report += found(group, as: argument) }
        guard outcome.isWhole else { return report }
        report += name(argument) + text(": ")
        report += text(
            styled("OK", 32)
                + ": \(Quantity.counted(UInt64(outcome.versions), "version", "versions")), "
                + "\(Quantity.counted(outcome.entries, "entry", "entries")), \(Quantity.bytes(outcome.bytes))"
                + (outcome.isStreamCompared ? "\n" : "; the tar stream was not compared, use '--strict' for that\n"))
        return report
    }

    /// What was found in one place: one line, however many files and versions it is about.
    private func found(_ group: Verifier.Group, as argument: [UInt8]) -> [UInt8] {
        var line = name(argument) + text(": ")
        if !group.versions.isEmpty { line += text("\(VersionNumbers(group.versions)): ") }
        if group.paths.count == 1 { line += name(group.paths[0]) + text(": ") }
        line += text(group.message)
        if group.paths.count > 1 {
            line += text(": \(Quantity.counted(UInt64(group.paths.count), "file", "files")): ")
            for (number, path) in group.paths.prefix(Self.mostNames).enumerated() {
                line += text(number > 0 ? ", " : "") + name(path)
            }
            if group.paths.count > Self.mostNames { line += text(" and \(group.paths.count - Self.mostNames) more") }
        }
        return line + text("\n")
    }

    /// How many files of one damaged place are named.
    private static let mostNames = 3

    func listingStart(as argument: [UInt8]) -> [UInt8] { [] }

    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool) -> [UInt8] {
        var report: [UInt8] = []
        report.reserveCapacity(entries.count * (isLong ? 128 : 64))
        var line = isLong ? LongLine(for: listing, isFull: showsFullDigests) : nil
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

    /// A line that fits on the terminal, on several lines if need be; nothing is broken for a pipe.
    func wrapped(_ line: String, indent: Int) -> String {
        width.map { WrappedLine(line, width: $0, indent: indent).text } ?? line
    }

    /// `string` in a color of ECMA-48 (SGR), if styled.
    func styled(_ string: String, _ color: Int) -> String {
        isStyled ? "\u{1B}[\(color)m\(string)\u{1B}[0m" : string
    }
}
