import CapsuleCore

/// One line for each entry that differs, with how much of it does, and a line about all of them.
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
