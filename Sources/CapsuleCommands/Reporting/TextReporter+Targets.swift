import CapsuleEngine

extension TextReporter {
    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8] {
        let changes = outcome.changes.map { compared($0, style, nil) } ?? []
        let word =
            switch (outcome.isChanged, outcome.isWritten) {
            case (false, _) where outcome.remaining > 0: "nothing can be changed"
            case (false, _): "nothing to change"
            case (true, true): styled("changed", 32)
            case (true, false): styled("would change", 33)
            }
        var counts = outcome.counts.words
        if outcome.remaining > 0 {
            let staying = Quantity.counted(UInt64(outcome.remaining), "directory remains", "directories remain")
            counts += counts.isEmpty ? staying : ", \(staying)"
        }
        return changes + name(argument) + text(": \(word)\(counts.isEmpty ? "" : ": \(counts)")\n")
    }
}

extension ApplyCounts {
    /// `3 files written (1.2 MB), 2 entries deleted`
    fileprivate var words: String {
        var parts: [String] = []
        if written > 0 {
            parts.append("\(Quantity.counted(UInt64(written), "file", "files")) written (\(Quantity.bytes(bytes)))")
        }
        if made > 0 { parts.append("\(Quantity.counted(UInt64(made), "directory or link", "directories or links")) created") }
        if deleted > 0 { parts.append("\(Quantity.counted(UInt64(deleted), "entry", "entries")) deleted") }
        if facts > 0 { parts.append("mode or attributes changed on \(Quantity.counted(UInt64(facts), "entry", "entries"))") }
        return parts.joined(separator: ", ")
    }
}
