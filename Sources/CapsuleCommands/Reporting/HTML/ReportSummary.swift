import CapsuleCore

/// The numbers of a page.
struct ReportSummary {
    /// Entries of each class that are no noise.
    private(set) var signal = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// Entries of each class that are noise as a whole.
    private(set) var noise = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// How many entries each handler compared, by its name.
    private(set) var handlers: [(name: String, entries: Int)] = []
    /// What was compared by lesser means, or is not all told: the indices of entries, each with its first note.
    private(set) var noted: [(entry: Int, detail: ChangeDetail)] = []
    /// How many notes there are.
    private(set) var notes = 0
    let counts: ContainerDiff.Counts

    init(_ diff: ContainerDiff, counts: ContainerDiff.Counts) {
        self.counts = counts
        var byName: [String: Int] = [:]
        for (index, entry) in diff.entries.enumerated() {
            let place = EntryClass(entry).rawValue
            if entry.isNoise { noise[place] += 1 } else { signal[place] += 1 }
            if let handler = entry.handler { byName[handler, default: 0] += 1 }
            let notes = entry.details.count { !$0.isChange }
            if notes > 0, let first = entry.details.first(where: { !$0.isChange }) { noted.append((index, first)) }
            self.notes += notes
        }
        notes += diff.notes.count
        handlers = byName.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    var signalEntries: Int { signal.reduce(0, +) }

    func has(_ entryClass: EntryClass) -> Bool { signal[entryClass.rawValue] + noise[entryClass.rawValue] > 0 }
}
