package import CapsuleCore
package import CapsulePropertyList

/// The differences between two containers.
package struct ContainerDiff: Hashable, Sendable {
    package struct Side: Hashable, Sendable {
        package var source: [UInt8]
        package var tree: ContentDigest?
        /// The origin of the container, for reports that show it; nil if it was not requested.
        package var origin: SideOrigin?

        package init(source: [UInt8], tree: ContentDigest? = nil, origin: SideOrigin? = nil) {
            self.source = source
            self.tree = tree
            self.origin = origin
        }
    }

    package var old: Side
    package var new: Side
    /// The entries that differ, sorted by the bytes of their paths. Noise is included.
    package var entries: [EntryChange]
    package var notes: [String] = []
    /// The identifiers of app groups that were not compared: one side has them, and their location on the other side is unknown.
    package var skippedGroups: [[UInt8]] = []
    /// The modes and attributes that were not compared because the format of one side can't store them, by path.
    package var metadataGaps: [MetadataGap] = []
    package var excluded: [Excluded] = []
    /// True if everything was compared and every change was kept. ``isExact`` is true if everything was compared.
    package var isComplete: Bool
    /// The paths of both sides, if the comparison was made for an expectation and all of them are known.
    package var paths: [RelativePath]?
    /// The user's noise rules that decide about none of the changes, in their order.
    package var unusedRules: [UnusedRule] = []
    package internal(set) var hiddenSecrets: Int?
    /// The time of the newer side as a property list's date; nil if it is not known.
    package var captured: Double?

    /// The entries that a pattern leaves out of a comparison.
    package struct Excluded: Hashable, Sendable {
        package var pattern: [UInt8]
        package var paths: Set<RelativePath>

        package init(pattern: [UInt8], paths: Set<RelativePath>) {
            self.pattern = pattern
            self.paths = paths
        }
    }

    package init(old: Side, new: Side, entries: [EntryChange], isComplete: Bool = true) {
        self.old = old
        self.new = new
        self.entries = entries
        self.isComplete = isComplete
    }
}

/// The origin of one side of a comparison: the app, and the version of a capsule.
package struct SideOrigin: Hashable, Sendable {
    package var file: [UInt8]?
    package var version: UInt32?
    package var label: VersionLabel?
    package var captured: Timestamp?
    package var bundleIdentifier: PlistString?
    /// The app's version, from the container's own property list.
    package var appVersion: PlistString?

    package init(bundleIdentifier: PlistString? = nil, appVersion: PlistString? = nil) {
        self.bundleIdentifier = bundleIdentifier
        self.appVersion = appVersion
    }

    package init(_ manifest: Manifest, in file: [UInt8], appVersion: PlistString? = nil) {
        self.init(bundleIdentifier: manifest.source.bundleIdentifier, appVersion: appVersion)
        self.file = file
        version = manifest.version
        captured = manifest.captured
    }
}

extension ContainerDiff {
    /// The numbers of changes: of the changed details, and of the entries' own lines that count as changes.
    package struct Counts: Hashable, Sendable {
        package var changes = 0
        /// The numbers of noise changes by class, the most frequent class first, then by name.
        package var noise: [(noise: NoiseClass, changes: Int)] {
            byClass.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map { ($0.key, $0.value) }
        }
        package var noiseChanges: Int { byClass.values.reduce(0, +) }
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

    /// The numbers of changes by class of noise, and of those that are not noise. Changes that were not kept are included.
    ///
    /// The numbers are lower bounds. If ``isExact`` is true, they are exact.
    package var counts: Counts {
        var counts = Counts()
        for entry in entries {
            let before = counts.changes
            if entry.countsItself { counts.count(entry.noise) }
            for detail in entry.details where detail.isChange { counts.count(detail.noise) }
            counts.count(entry.unshown)
            // All changes that were found are noise, but there may be another one that is not.
            if counts.changes == before, !entry.isNoise { counts.count(nil) }
        }
        return counts
    }

    package var unread: Int { entries.count { $0.details.contains(where: \.isUnread) } }

    package var isDifferent: Bool { entries.contains { !$0.isNoise } }
}

extension ContainerDiff {
    /// True if all differences were found, so that every count is exact. Otherwise, the counts are lower bounds.
    ///
    /// A comparison that found all changes may not have kept them all: ``isComplete`` is true if it did.
    package var isExact: Bool { (isComplete || saysWhatIsMissing) && !entries.contains { $0.details.contains { $0.isGap } } }

    var saysWhatIsMissing: Bool {
        entries.contains { !$0.unshown.isEmpty || $0.details.contains(where: \.isCut) }
    }

    /// The number of changes that the comparison found but did not keep, including noise.
    package var unshownChanges: Int { entries.reduce(0) { $0 + $1.unshown.count } }

    var gapText: String {
        let gaps = entries.lazy.flatMap { entry in entry.details.lazy.compactMap { $0.gap.map { "\(entry.path): \($0)" } } }
        let shown = Array(gaps.prefix(4))
        if shown.isEmpty { return "not everything was compared" }
        return shown.prefix(3).joined(separator: "; ") + (shown.count > 3 ? "; and more" : "")
    }
}

extension ChangeDetail {
    var isCut: Bool { if case .limit = content { true } else { isGap } }

    var isUnread: Bool {
        if case .fallback(let fallback) = content { fallback.from == HandlerFallback.content } else { false }
    }

    fileprivate var gap: String? {
        guard isGap else { return nil }
        switch content {
        case .limit(let limit): return limit.reason
        case .fallback(let fallback): return fallback.reason
        default: return nil
        }
    }
}

extension ContainerDiff {
    /// Returns the comparison with its secrets hidden, for reports. Whatever judges it needs the comparison itself.
    ///
    /// - Parameter countsNoise: true to count secrets in noise, too, for a report that shows it.
    package func hidingSecrets(countsNoise: Bool = true) -> ContainerDiff {
        var (diff, cover, ofNoise) = (self, SecretCover(), SecretCover())
        for entry in diff.entries.indices {
            cover.enter(diff.entries[entry].path)
            ofNoise.enter(diff.entries[entry].path)
            let ends = cover.hidingTargets(diff.entries[entry].old, diff.entries[entry].new)
            (diff.entries[entry].old, diff.entries[entry].new) = (ends.old, ends.new)
            for detail in diff.entries[entry].details.indices {
                let isCounted = countsNoise || diff.entries[entry].details[detail].noise == nil
                if isCounted {
                    cover.hide(&diff.entries[entry].details[detail].content)
                } else {
                    ofNoise.hide(&diff.entries[entry].details[detail].content)
                }
            }
        }
        diff.hiddenSecrets = cover.count
        return diff
    }
}

extension ContainerDiff {
    /// Returns the place and content of a change on one line: `Library/Preferences/com.x.plist /launches: 7 → 8`.
    package func description(of change: ChangeReference) -> String { summary(of: change)?.text ?? "" }

    package func summary(of change: ChangeReference) -> ChangeSummary? {
        if let unshown = hiddenSecrets == nil ? change.unshown : change.hidden { return unshown }
        guard entries.indices.contains(change.entry) else { return nil }
        let entry = entries[change.entry]
        guard let number = change.detail, entry.details.indices.contains(number) else { return entry.summary }
        return entry.details[number].summary(at: entry.path, column: change.column)
    }
}
