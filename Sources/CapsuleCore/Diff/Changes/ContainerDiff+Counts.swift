extension ContainerDiff {
    /// How many changes there are: details' lines, and entries' lines that count themselves.
    public struct Counts: Hashable, Sendable {
        /// That are no noise.
        public var changes = 0
        /// By class, the most frequent first, then by name.
        public var noise: [(noise: NoiseClass, changes: Int)] {
            byClass.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map { ($0.key, $0.value) }
        }
        /// Of all classes.
        public var noiseChanges: Int { byClass.values.reduce(0, +) }
        private var byClass: [NoiseClass: Int] = [:]

        mutating func count(_ noise: NoiseClass?) {
            if let noise { byClass[noise, default: 0] += 1 } else { changes += 1 }
        }

        mutating func count(_ unshown: UnshownChanges) {
            if unshown.isEmpty { return }
            changes += unshown.signals
            byClass.merge(unshown.noise, uniquingKeysWith: +)
        }
    }

    /// The changes by whether they are noise, and of which class, those among them that were not kept.
    ///
    /// There are at least so many; ``isExact`` says whether there may be more.
    public var counts: Counts {
        var counts = Counts()
        for entry in entries {
            let before = counts.changes
            if entry.countsItself { counts.count(entry.noise) }
            for detail in entry.details where detail.isChange { counts.count(detail.noise) }
            counts.count(entry.unshown)
            // All that was told is noise, and there may be more.
            if counts.changes == before, !entry.isNoise { counts.count(nil) }
        }
        return counts
    }

    /// How many entries have content that could not be read.
    public var unread: Int {
        entries.count { entry in
            entry.details.contains { detail in
                if case .fallback(let fallback) = detail.content { fallback.from == HandlerFallback.content } else { false }
            }
        }
    }

    /// Whether anything but noise differs.
    public var isDifferent: Bool { entries.contains { !$0.isNoise } }
}
