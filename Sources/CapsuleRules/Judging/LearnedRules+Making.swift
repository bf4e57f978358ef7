package import CapsuleCore
package import CapsulePropertyList

extension LearnedRules {
    /// Returns a document of rules for the changes of a comparison that are not noise. The narrowest rules come first.
    ///
    /// - Throws: `limit` if the changes need more rules than a document can hold, or if the comparison did not learn from the
    ///   changes that it did not keep (``ChangeJudge``).
    package static func make(from diff: ContainerDiff) throws(OverlayError) -> PlistValue {
        var learned = LearnedRules()
        for entry in diff.entries {
            learned.learn(entry)
            if entry.unshown.isEmpty { continue }
            guard let more = entry.unshown.learned else {
                throw OverlayError(.limit, "no rules were learned from the changes that the comparison did not keep")
            }
            learned.add(more)
        }
        guard !learned.isFull else {
            throw OverlayError(.limit, "the changes need more than \(draftLimit) rules, the most that a document can have")
        }
        return learned.document
    }

    private mutating func learn(_ entry: EntryChange) {
        let path = GeneratedText(entry.path.bytes)
        let start = Self.start(path)
        if entry.countsItself, entry.noise == nil {
            // The next run makes another entry with such a name, and may delete this one.
            let comesAndGoes = path.isGenerated && (entry.kind == .added || entry.kind == .deleted)
            add(start.match, comesAndGoes ? [.added, .deleted] : entry.kinds, start.width, example: entry.line)
            if case .renamed(let from) = entry.kind {
                // A renamed entry is noise only if it is noise at both of its paths.
                let other = Self.start(GeneratedText(from.bytes))
                if other.match != start.match { add(other.match, .renamed, other.width, example: entry.line) }
            }
        }
        for detail in entry.details where detail.isChange && detail.noise == nil {
            learn(ChangePlace(entry.path, detail), start.match, start.width)
        }
    }
}
