/// One entry that differs between two trees, and what differs inside of it.
public struct EntryChange: Hashable, Sendable {
    /// What became of the entry.
    public enum Kind: Hashable, Sendable {
        /// The newer tree alone has it.
        case added
        /// The older tree alone has it.
        case deleted
        /// Other content, mode or attributes; which, the details say.
        case modified
        /// The same content under another path, which it was taken from.
        case renamed(from: RelativePath)
        /// A file, directory or link that is now another of the three.
        case type
    }

    /// The path in the newer tree, or for what was deleted in the older; of a unit, its database's.
    public var path: RelativePath
    /// What became of the entry.
    public var kind: Kind
    /// Its facts in the older tree; nil for what was added.
    public var old: TreeEntry?
    /// Its facts in the newer tree; nil for what was deleted.
    public var new: TreeEntry?
    /// Of a database that was compared as one with its other files: those of them that differ, such as its write-ahead log.
    public var companions: [RelativePath] = []
    /// What compared the contents, `plist` or `gzip/json`; nil where no content was compared.
    public var handler: String?
    /// What differs inside, in the order of the content; empty where nothing was looked at, or nothing more is to be told.
    public var details: [ChangeDetail]
    /// What else differs inside, and was judged without being kept.
    public var unshown = UnshownChanges()
    /// The class of the entry's own line, where it is noise. One whose details say all has none, and is noise if they are.
    public var noise: NoiseClass?
    /// Whether a rule takes out of noise what may be in it and was not looked at.
    var mayHideSignal = false
    /// The tables of both sides' databases, where an expectation may ask for them; empty where they are not known.
    package var tables: [NamedTable] = []
    /// Pictures of both sides for reports that show them; nil where there is none, or none is wanted.
    public var pictures: (old: Picture?, new: Picture?) {
        get { (oldPicture, newPicture) }
        set { (oldPicture, newPicture) = newValue }
    }
    private var oldPicture: Picture?
    private var newPicture: Picture?

    /// An image's bytes.
    public struct Picture: Hashable, Sendable {
        /// A media type, `image/png`.
        public let type: String
        /// The file as it is.
        public let bytes: [UInt8]

        /// Takes an image as it is in its file.
        public init(type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }
    }

    /// A change whose details are added by who looks inside.
    public init(
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

    /// The word of rules and reports.
    public var word: String {
        switch kind {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .renamed: "renamed"
        case .type: "type"
        }
    }

    /// Whether the entry's own line counts as a change: one that says no more than that the details follow does not.
    public var countsItself: Bool { kind != .modified || unshown.isEmpty && !details.contains { $0.isChange } }

    /// Whether nothing about it is a signal, and nothing that was not looked at could be one.
    public var isNoise: Bool {
        (!countsItself || noise != nil) && unshown.signals == 0 && !mayHideSignal
            && details.allSatisfy { $0.noise != nil || !($0.isChange || $0.isGap) }
    }
}

/// The changes inside an entry that a comparison found and judged, and that are not among the entry's details.
public struct UnshownChanges: Hashable, Sendable {
    /// What a change counts as.
    private struct Sort: Hashable {
        let operation: String?
        let noise: NoiseClass?
    }

    private var numbers: [Sort: Int] = [:]
    /// Whether a rule takes the entry out of noise for what is in it, though that is not reported by itself.
    var mayBeSignal = false
    /// What an expectation makes of them; nil where none was asked.
    var tally: ExpectationTally?
    /// The rules that would silence them; nil where none are wanted.
    var learned: LearnedRules?
    /// The clauses that name them; nil where none are wanted.
    var described: ChangeDescriber?

    /// No changes.
    public init() {}

    mutating func count(_ operation: String?, _ noise: NoiseClass?) {
        numbers[Sort(operation: operation, noise: noise), default: 0] += 1
    }

    /// How many there are.
    public var count: Int { numbers.values.reduce(0, +) }

    /// Whether there are none.
    public var isEmpty: Bool { numbers.isEmpty }

    /// How many are not noise.
    public var signals: Int { numbers.reduce(0) { $0 + ($1.key.noise == nil ? $1.value : 0) } }

    /// How many are noise, by class.
    public var noise: [NoiseClass: Int] {
        var noise: [NoiseClass: Int] = [:]
        for (sort, number) in numbers {
            if let found = sort.noise { noise[found, default: 0] += number }
        }
        return noise
    }

    /// How many there are of an operation.
    ///
    /// - Parameters:
    ///   - operation: as ``ChangeDetail/operation`` names it.
    ///   - countsNoise: whether those that are noise count.
    public func count(of operation: String, countsNoise: Bool) -> Int {
        numbers.reduce(0) { $0 + ($1.key.operation == operation && (countsNoise || $1.key.noise == nil) ? $1.value : 0) }
    }
}
