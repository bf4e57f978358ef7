public import CapsulePropertyList

/// The differences between two containers.
public struct ContainerDiff: Hashable, Sendable {
    /// One side of the comparison.
    public struct Side: Hashable, Sendable {
        /// The container as the user named it.
        public var source: [UInt8]
        /// The tree digest, if it is known.
        public var tree: ContentDigest?
        /// The origin of the container, for reports that show it; nil if it was not requested.
        public var origin: SideOrigin?

        /// Creates a side from the container's name.
        public init(source: [UInt8], tree: ContentDigest? = nil, origin: SideOrigin? = nil) {
            self.source = source
            self.tree = tree
            self.origin = origin
        }
    }

    /// The older side: the state before the changes.
    public var old: Side
    /// The newer side: the state after the changes.
    public var new: Side
    /// The entries that differ, sorted by the bytes of their paths. Noise is included.
    public var entries: [EntryChange]
    /// Further remarks on the comparison, for people.
    public var notes: [String] = []
    /// The identifiers of app groups that were not compared: one side has them, and their location on the other side is unknown.
    public var skippedGroups: [[UInt8]] = []
    /// The modes and attributes that were not compared because the format of one side can't store them, by path.
    public var metadataGaps: [MetadataGap] = []
    /// True if everything was compared and every change was kept. ``isExact`` is true if everything was compared.
    public var isComplete: Bool
    /// The clauses that no change can match, in their order, from the expectation that the comparison was made for.
    public var unmatchable: [UnmatchableClause] = []
    /// The user's noise rules that decide about none of the changes, in their order.
    public var unusedRules: [UnusedRule] = []
    /// The expectation of exactly these changes, as a document; nil if the comparison was not asked for one.
    public var described: PlistValue?

    /// Creates the result of a comparison.
    public init(old: Side, new: Side, entries: [EntryChange], isComplete: Bool = true) {
        self.old = old
        self.new = new
        self.entries = entries
        self.isComplete = isComplete
    }
}

/// The origin of one side of a comparison: the app, and the version of a capsule.
public struct SideOrigin: Hashable, Sendable {
    /// The file name of the capsule; nil if the side is not a capsule.
    public var file: [UInt8]?
    /// The number of the capsule's version.
    public var version: UInt32?
    /// The version's label.
    public var label: VersionLabel?
    /// The time at which the version was packed.
    public var captured: Timestamp?
    /// The app's bundle identifier.
    public var bundleIdentifier: PlistString?
    /// The app's version, from the container's own property list.
    public var appVersion: PlistString?

    /// Creates the origin of a container that is not a capsule.
    public init(bundleIdentifier: PlistString? = nil, appVersion: PlistString? = nil) {
        self.bundleIdentifier = bundleIdentifier
        self.appVersion = appVersion
    }

    /// Creates the origin of a version in a capsule.
    public init(_ manifest: Manifest, in file: [UInt8], appVersion: PlistString? = nil) {
        self.init(bundleIdentifier: manifest.source.bundleIdentifier, appVersion: appVersion)
        self.file = file
        version = manifest.version
        label = manifest.label
        captured = manifest.captured
    }
}

extension ContainerDiff {
    /// The numbers of changes: of the changed details, and of the entries' own lines that count as changes.
    public struct Counts: Hashable, Sendable {
        /// The number of changes that are not noise.
        public var changes = 0
        /// The numbers of noise changes by class, the most frequent class first, then by name.
        public var noise: [(noise: NoiseClass, changes: Int)] {
            byClass.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map { ($0.key, $0.value) }
        }
        /// The number of noise changes of all classes.
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

    /// The numbers of changes by class of noise, and of those that are not noise. Changes that were not kept are included.
    ///
    /// The numbers are lower bounds. If ``isExact`` is true, they are exact.
    public var counts: Counts {
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

    /// The number of entries with content that could not be read.
    public var unread: Int {
        entries.count { entry in
            entry.details.contains { detail in
                if case .fallback(let fallback) = detail.content { fallback.from == HandlerFallback.content } else { false }
            }
        }
    }

    /// True if there are differences other than noise.
    public var isDifferent: Bool { entries.contains { !$0.isNoise } }
}

extension ContainerDiff {
    /// True if all differences were found, so that every count is exact. Otherwise, the counts are lower bounds.
    ///
    /// A comparison that found all changes may not have kept them all: ``isComplete`` is true if it did.
    public var isExact: Bool {
        (isComplete || saysWhatIsMissing) && !entries.contains { $0.details.contains { $0.isGap } }
    }

    /// True if the entries show why the comparison is not complete.
    var saysWhatIsMissing: Bool {
        entries.contains { entry in
            !entry.unshown.isEmpty
                || entry.details.contains { if case .limit = $0.content { true } else { $0.isGap } }
        }
    }

    /// The number of changes that the comparison kept, including noise.
    public var keptChanges: Int {
        entries.reduce(0) { $0 + $1.details.count { $0.isChange } + ($1.countsItself ? 1 : 0) }
    }

    /// The number of changes that the comparison found but did not keep, including noise.
    public var unshownChanges: Int { entries.reduce(0) { $0 + $1.unshown.count } }

    /// A list of what was not compared, on one line.
    var gapText: String {
        let gaps = entries.lazy.flatMap { entry in entry.details.lazy.compactMap { $0.gap.map { "\(entry.path): \($0)" } } }
        let shown = Array(gaps.prefix(4))
        if shown.isEmpty { return "not everything was compared" }
        return shown.prefix(3).joined(separator: "; ") + (shown.count > 3 ? "; and more" : "")
    }
}

extension ChangeDetail {
    /// The reason why there may be more changes than are known; nil if there are none.
    fileprivate var gap: String? {
        guard isGap else { return nil }
        switch content {
        case .limit(let limit): return limit.reason
        case .fallback(let fallback): return fallback.reason
        default: return nil
        }
    }
}
