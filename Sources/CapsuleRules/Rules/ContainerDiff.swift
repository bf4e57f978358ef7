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
    fileprivate var isCut: Bool { if case .limit = content { true } else { isGap } }

    fileprivate var isUnread: Bool {
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

/// One entry that differs between two trees, with the differences inside it.
package struct EntryChange: Hashable, Sendable {
    package typealias Kind = EntryChangeKind

    /// The path in the newer tree, or in the older tree if the entry was deleted. For a unit, the path of its database.
    package var path: RelativePath
    package var kind: Kind
    package var old: TreeEntry?
    package var new: TreeEntry?
    /// For a database that was compared as a unit: its other files that differ, such as its write-ahead log.
    package var companions: [RelativePath] = []
    package var handler: String?
    /// The differences inside the entry, in the order of the content. Empty if the content was not compared or there is nothing to
    /// add.
    package var details: [ChangeDetail]
    package var unshown = UnshownChanges()
    /// The entry's part in the verdict of the expectation that it was judged by; nil if it was not judged by one.
    var tally: ExpectationTally?
    /// The class of the entry's own line; nil if the line is not noise. It is also nil if the line only introduces the details: the
    /// entry is then noise if they are.
    package var noise: NoiseClass?
    var mayHideSignal = false
    /// The tables of both sides' databases, if an expectation may ask for them; empty if they are not known.
    package var tables: [NamedTable] = []
    /// The property lists of both sides, if a clause of an expectation asks for a place in them.
    package var documents: [PlistValue] = []
    /// The identity of the content of the new file, if an expectation asks for it or is written; nil if nothing but its bytes does.
    package var content: FileContent?
    /// The mode and the attributes of the new entry, if it was added or became something else; nil if its side can't hold them.
    package var facts: (mode: FileMode?, attributes: [ExtendedAttribute]?) {
        get { (newMode, newAttributes) }
        set { (newMode, newAttributes) = newValue }
    }
    private var newMode: FileMode?
    private var newAttributes: [ExtendedAttribute]?
    /// The pictures of both sides, for reports that show them; nil for a side without one, or if they were not requested.
    package var pictures: (old: Picture?, new: Picture?) {
        get { (oldPicture, newPicture) }
        set { (oldPicture, newPicture) = newValue }
    }
    private var oldPicture: Picture?
    private var newPicture: Picture?

    package struct Picture: Hashable, Sendable {
        package let type: String
        package let bytes: [UInt8]

        package init(type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }
    }

    package init(
        _ kind: Kind, at path: RelativePath, old: TreeEntry? = nil, new: TreeEntry? = nil, handler: String? = nil,
        details: [ChangeDetail] = [], noise: NoiseClass? = nil
    ) {
        self.path = path
        self.kind = kind
        self.old = old
        self.new = new
        self.handler = handler
        self.details = details
        self.noise = noise
    }

    package var word: String {
        switch kind {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .renamed: "renamed"
        case .type: "type"
        }
    }

    /// True if the entry's own line counts as a change. The line of a modified entry doesn't count if it has changes inside.
    package var countsItself: Bool { kind != .modified || unshown.isEmpty && !details.contains { $0.isChange } }

    /// True if everything about the entry was compared and kept.
    package var isComplete: Bool { unshown.isEmpty && !details.contains { $0.isCut || $0.isUnread } }

    /// True if everything about the entry is noise, and nothing that was not compared could be anything else.
    package var isNoise: Bool {
        (!countsItself || noise != nil) && unshown.signals == 0 && !mayHideSignal
            && details.allSatisfy { $0.noise != nil || !($0.isChange || $0.isGap) }
    }
}

/// The changes inside an entry that a comparison found and judged, but that are not among the entry's details.
package struct UnshownChanges: Hashable, Sendable {
    /// The properties by which changes are counted separately.
    private struct Sort: Hashable {
        let operation: String?
        let noise: NoiseClass?
    }

    private var numbers: [Sort: Int] = [:]
    var learned: LearnedRules?

    package init() {}

    mutating func count(_ operation: String?, _ noise: NoiseClass?) {
        numbers[Sort(operation: operation, noise: noise), default: 0] += 1
    }

    package var count: Int { numbers.values.reduce(0, +) }
    package var isEmpty: Bool { numbers.isEmpty }
    package var signals: Int { numbers.reduce(0) { $0 + ($1.key.noise == nil ? $1.value : 0) } }

    package var noise: [NoiseClass: Int] {
        var noise: [NoiseClass: Int] = [:]
        for (sort, number) in numbers {
            if let found = sort.noise { noise[found, default: 0] += number }
        }
        return noise
    }

    package func count(of operation: String, countsNoise: Bool) -> Int {
        numbers.reduce(0) { $0 + ($1.key.operation == operation && (countsNoise || $1.key.noise == nil) ? $1.value : 0) }
    }
}
