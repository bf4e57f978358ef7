public import CapsulePropertyList

/// All that differs between two containers.
public struct ContainerDiff: Hashable, Sendable {
    /// One of the two.
    public struct Side: Hashable, Sendable {
        /// As the user named it.
        public var source: [UInt8]
        /// The tree's digest, where it is known.
        public var tree: ContentDigest?
        /// What is known of the container itself, for reports that say it; nil where none was asked for.
        public var origin: SideOrigin?

        /// A side by its name.
        public init(source: [UInt8], tree: ContentDigest? = nil, origin: SideOrigin? = nil) {
            self.source = source
            self.tree = tree
            self.origin = origin
        }
    }

    /// The one that is compared with: what was there before.
    public var old: Side
    /// The one that is compared: what is there now.
    public var new: Side
    /// By the bytes of their paths, noise among them.
    public var entries: [EntryChange]
    /// What there is to know of the comparison besides, for people.
    public var notes: [String] = []
    /// The identifiers of app groups that one side has and that were not compared, since it is not known where the other has them.
    public var passedOverGroups: [[UInt8]] = []
    /// Modes and attributes that were not compared, by path: the format of one side can't store them.
    public var metadataGaps: [MetadataGap] = []
    /// Whether all was looked at and is told; ``isExact`` says whether all was looked at.
    public var isComplete: Bool
    /// The clauses of the expectation that the comparison was made for that no change can match, in their order.
    public var unmatchable: [UnmatchableClause] = []
    /// The user's noise rules that decide about none of the changes, in their order.
    public var unusedRules: [UnusedRule] = []
    /// The expectation of exactly these changes, as a document, where the comparison was asked for one.
    public var described: PlistValue?

    /// A comparison's result.
    public init(old: Side, new: Side, entries: [EntryChange], isComplete: Bool = true) {
        self.old = old
        self.new = new
        self.entries = entries
        self.isComplete = isComplete
    }
}

/// Which app's data one side of a comparison is, and which version of which capsule.
public struct SideOrigin: Hashable, Sendable {
    /// The capsule's file name; nil for what is not a capsule.
    public var file: [UInt8]?
    /// The capsule's version.
    public var version: UInt32?
    /// The version's label.
    public var label: VersionLabel?
    /// When the version was packed.
    public var captured: Timestamp?
    /// The app's bundle identifier.
    public var bundleIdentifier: PlistString?
    /// The app's version, as the container's own property list has it.
    public var appVersion: PlistString?

    /// A container that is not a capsule.
    public init(bundleIdentifier: PlistString? = nil, appVersion: PlistString? = nil) {
        self.bundleIdentifier = bundleIdentifier
        self.appVersion = appVersion
    }

    /// A version of a capsule.
    public init(_ manifest: Manifest, in file: [UInt8], appVersion: PlistString? = nil) {
        self.init(bundleIdentifier: manifest.source.bundleIdentifier, appVersion: appVersion)
        self.file = file
        version = manifest.version
        label = manifest.label
        captured = manifest.captured
    }
}

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

extension ContainerDiff {
    /// Whether all that differs was found, so that every count is exact; otherwise there are at least so many changes.
    ///
    /// A comparison that found all need not keep all: ``isComplete`` says whether it did.
    public var isExact: Bool {
        (isComplete || saysWhatIsMissing) && !entries.contains { $0.details.contains { $0.isGap } }
    }

    /// Whether entries say why the comparison is not complete.
    var saysWhatIsMissing: Bool {
        entries.contains { entry in
            !entry.unshown.isEmpty
                || entry.details.contains { if case .limit = $0.content { true } else { $0.isGap } }
        }
    }

    /// The changes that the comparison kept, noise among them.
    public var keptChanges: Int {
        entries.reduce(0) { $0 + $1.details.count { $0.isChange } + ($1.countsItself ? 1 : 0) }
    }

    /// The changes that the comparison found and did not keep, noise among them.
    public var unshownChanges: Int { entries.reduce(0) { $0 + $1.unshown.count } }

    /// What was not compared, on one line.
    var gapText: String {
        let gaps = entries.lazy.flatMap { entry in entry.details.lazy.compactMap { $0.gap.map { "\(entry.path): \($0)" } } }
        let shown = Array(gaps.prefix(4))
        if shown.isEmpty { return "not everything was compared" }
        return shown.prefix(3).joined(separator: "; ") + (shown.count > 3 ? "; and more" : "")
    }
}

extension ChangeDetail {
    /// Why there may be more changes than are known; nil where there are not.
    fileprivate var gap: String? {
        guard isGap else { return nil }
        switch content {
        case .limit(let limit): return limit.reason
        case .fallback(let fallback): return fallback.reason
        default: return nil
        }
    }
}
