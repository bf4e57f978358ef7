import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8] {
        let entries = EntryText(reporter: self, isFull: style.isFull, showsNoise: style.showsNoise)
        var report: [UInt8] = []
        for entry in diff.entries { report += entries.lines(of: entry) }
        return report + judged(diff, style) + noise(in: diff, style)
    }

    /// Returns the number of changes that were evaluated, if not all of them are shown.
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

    /// Returns the findings of an expectation, or the line that it passed.
    func judged(_ result: ExpectationResult, of diff: ContainerDiff, by file: [UInt8]) -> [UInt8] {
        let findings = result.report(on: diff)
        guard !findings.isEmpty else {
            let changes = Quantity.changes(diff.counts.changes, isExact: diff.isExact)
            return name(file) + text(": \(styled("passed", 32)): \(changes)\n")
        }
        var report: [UInt8] = []
        for finding in findings {
            report += text(styled("! ", 31) + DetailText.shown(finding.headline) + "\n")
            for line in finding.lines(limit: Self.shownChanges) { report += text("    " + DetailText.shown(line) + "\n") }
        }
        let count = Quantity.counted(result.findingCount, "finding", "findings")
        let all = result.findingCount
        let shown = all > findings.count ? ", \(Quantity.grouped(UInt64(findings.count))) shown" : ""
        return report + name(file) + text(": \(styled("failed", 31)): \(count)\(shown)\n")
    }

    /// The number of changes that are listed below a finding.
    private static let shownChanges = 3

    /// Returns the number of hidden changes, by noise class.
    func noise(in diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let counts = diff.counts
        guard counts.noiseChanges > 0, !style.showsNoise else { return [] }
        let classes = counts.noise.map { "\(QuotedBytes($0.noise.rawValue).text) \($0.changes)" }
        return text(
            styled(
                "\(Quantity.changes(counts.noiseChanges, isExact: diff.isExact)) hidden as noise "
                    + "(\(classes.joined(separator: ", "))); --all shows them", 2) + "\n")
    }
}

/// Formats the entries of a diff as lines for people: the change of the entry, then the differences inside, indented.
private struct EntryText {
    let reporter: TextReporter
    let isFull: Bool
    /// True to show noise, too.
    let showsNoise: Bool

    /// Returns all lines of an entry; none for noise, unless noise is shown.
    func lines(of entry: EntryChange) -> [UInt8] {
        if entry.isNoise, !showsNoise { return [] }
        var text = headline(of: entry)
        let details = DetailText(reporter: reporter, isFull: isFull, showsNoise: showsNoise)
        text += details.lines(of: entry.details.filter { showsNoise || $0.noise == nil })
        return text
    }

    private func headline(of entry: EntryChange) -> [UInt8] {
        let name = reporter.name(entry.path.bytes)
        let kind: String
        let color: Int
        var place = name
        switch entry.kind {
        case .added: (kind, color) = ("+", 32)
        case .deleted: (kind, color) = ("-", 31)
        case .modified, .type: (kind, color) = ("~", 33)
        case .renamed(let old):
            (kind, color) = (">", 36)
            place = reporter.name(old.bytes) + reporter.text(" \u{2192} ") + name
        }
        let line = reporter.text(kind + " ") + place + reporter.text(remarks(on: entry))
        let noise = showsNoise ? entry.noise ?? (entry.isNoise ? entry.details.compactMap(\.noise).first : nil) : nil
        return reporter.styled(line, noise == nil ? color : 2) + DetailText.mark(noise) + [UInt8(ascii: "\n")]
    }

    /// Returns the rest of an entry's own line.
    private func remarks(on entry: EntryChange) -> String {
        switch entry.kind {
        case .added: return Self.facts(of: entry.new)
        case .deleted: return Self.facts(of: entry.old)
        case .type: return ": \(entry.old?.kind.word ?? "nothing") \u{2192} \(entry.new?.kind.word ?? "nothing")"
        case .renamed: return ""
        case .modified:
            if let old = entry.old, let new = entry.new, new.kind == .link {
                let targets = [old.target, new.target].map { QuotedBytes($0).text }
                return targets[0] == targets[1] ? "" : ": link to \(targets[0]) \u{2192} \(targets[1])"
            }
            return entry.handler.map { " (\($0))" } ?? Self.sizes(of: entry)
        }
    }

    /// Returns the facts about an added or deleted entry: the size of a file, the target of a link.
    private static func facts(of entry: TreeEntry?) -> String {
        guard let entry else { return "" }
        switch entry.kind {
        case .directory: return "/"
        case .link: return " -> \(QuotedBytes(entry.target).text)"
        case .file, .identity: return " (\(Quantity.bytes(entry.size)))"
        }
    }

    /// Returns the sizes of a content that was not examined.
    private static func sizes(of entry: EntryChange) -> String {
        guard let old = entry.old, let new = entry.new, old.kind == .file, old.digest != new.digest else { return "" }
        let words = [Quantity.bytes(old.size), Quantity.bytes(new.size)]
        return words[0] == words[1] ? " (\(words[0]))" : " (\(words.joined(separator: " \u{2192} ")))"
    }
}

/// Formats one line for each entry that differs, with the number of its changes, and one line for all of them.
struct StatText {
    let reporter: TextReporter
    let showsNoise: Bool

    func text(of diff: ContainerDiff) -> [UInt8] {
        let entries = diff.entries.filter { showsNoise || !$0.isNoise }
        var report: [UInt8] = []
        for entry in entries {
            if case .renamed(let old) = entry.kind { report += reporter.name(old.bytes) + reporter.text(" \u{2192} ") }
            report += reporter.name(entry.path.bytes) + reporter.text(" | \(summary(of: entry))\n")
        }
        guard !entries.isEmpty else { return report }
        let words = ["added", "deleted", "modified", "renamed", "type"].compactMap { word -> String? in
            let count = entries.count { $0.word == word }
            return count == 0 ? nil : "\(count) \(word == "type" ? "with another type" : word)"
        }
        return report
            + reporter.text(
                "\(Quantity.counted(UInt64(entries.count), "entry differs", "entries differ")): "
                    + words.joined(separator: ", ") + "\n")
    }

    private func summary(of entry: EntryChange) -> String {
        let details = entry.details.filter { $0.isChange && (showsNoise || $0.noise == nil) }
        let count = details.count + (showsNoise ? entry.unshown.count : entry.unshown.signals)
        let isExact = !entry.details.contains { $0.isGap }
        let counted = count == 0 ? nil : Quantity.changes(count, isExact: isExact)
        let parts = [
            word(of: entry) ?? (details.isEmpty ? entry.new?.kind.word : nil), counted, operations(entry, details),
            sizes(of: entry),
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private func word(of entry: EntryChange) -> String? {
        switch entry.kind {
        case .added, .deleted, .renamed: entry.word
        case .type: "type changed"
        case .modified: entry.handler
        }
    }

    /// `+2 -1 ~3`
    private func operations(_ entry: EntryChange, _ details: [ChangeDetail]) -> String? {
        let marks = [("added", "+", 32), ("deleted", "-", 31), ("modified", "~", 33)]
        let parts = marks.compactMap { word, mark, color -> String? in
            let count = details.count { $0.operation == word } + entry.unshown.count(of: word, countsNoise: showsNoise)
            return count == 0 ? nil : reporter.styled("\(mark)\(count)", color)
        }
        let lines = details.compactMap { detail -> String? in
            guard case .text(let change) = detail.content else { return nil }
            return "\(reporter.styled("+\(change.added)", 32)) \(reporter.styled("-\(change.deleted)", 31)) lines"
        }
        let all = parts + lines
        return all.isEmpty ? nil : all.joined(separator: " ")
    }

    private func sizes(of entry: EntryChange) -> String? {
        let sizes = [entry.old, entry.new].map { $0?.kind == .file ? $0?.size : nil }
        switch (sizes[0], sizes[1]) {
        case (let old?, let new?):
            let words = [Quantity.bytes(old), Quantity.bytes(new)]
            return words[0] == words[1] ? nil : words.joined(separator: " \u{2192} ")
        case (let size?, nil), (nil, let size?): return Quantity.bytes(size)
        case (nil, nil): return nil
        }
    }
}
