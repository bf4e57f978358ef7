import CapsuleCore

/// The numbers of a page.
struct ReportSummary {
    /// Entries of each class that are no noise.
    private(set) var signal = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// Entries of each class that are noise as a whole.
    private(set) var noise = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// How many entries each handler compared, by its name.
    private(set) var handlers: [(name: String, entries: Int)] = []
    /// Entries that were compared by lesser means, or of which not all is told; their indices.
    private(set) var noted: [Int] = []
    let counts: ContainerDiff.Counts

    init(_ diff: ContainerDiff) {
        counts = diff.counts
        var byName: [String: Int] = [:]
        for (index, entry) in diff.entries.enumerated() {
            let place = EntryClass(entry).rawValue
            if entry.isNoise { noise[place] += 1 } else { signal[place] += 1 }
            if let handler = entry.handler { byName[handler, default: 0] += 1 }
            if entry.details.contains(where: { !$0.isChange }) { noted.append(index) }
        }
        handlers = byName.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    var signalEntries: Int { signal.reduce(0, +) }

    func has(_ entryClass: EntryClass) -> Bool { signal[entryClass.rawValue] + noise[entryClass.rawValue] > 0 }
}
