/// One entry that differs between two trees, with the differences inside it.
public struct EntryChange: Hashable, Sendable {
    /// The kind of change of an entry.
    public enum Kind: Hashable, Sendable {
        /// The entry is only in the newer tree.
        case added
        /// The entry is only in the older tree.
        case deleted
        /// The entry has different content, mode or attributes. The details say which.
        case modified
        /// The entry has the same content under another path. The associated value is its path in the older tree.
        case renamed(from: RelativePath)
        /// The entry changed between file, directory and symbolic link.
        case type
    }

    /// The path in the newer tree, or in the older tree if the entry was deleted. For a unit, the path of its database.
    public var path: RelativePath
    /// The kind of change.
    public var kind: Kind
    /// The entry in the older tree; nil if it was added.
    public var old: TreeEntry?
    /// The entry in the newer tree; nil if it was deleted.
    public var new: TreeEntry?
    /// For a database that was compared as a unit: its other files that differ, such as its write-ahead log.
    public var companions: [RelativePath] = []
    /// The handler that compared the contents, such as `plist` or `gzip/json`; nil if no content was compared.
    public var handler: String?
    /// The differences inside the entry, in the order of the content. Empty if the content was not compared or there is nothing to
    /// add.
    public var details: [ChangeDetail]
    /// The differences inside the entry that were judged but not kept.
    public var unshown = UnshownChanges()
    /// The class of the entry's own line; nil if the line is not noise. It is also nil if the line only introduces the details: the
    /// entry is then noise if they are.
    public var noise: NoiseClass?
    /// True if a rule takes out of noise what may be in the entry and was not compared.
    var mayHideSignal = false
    /// The tables of both sides' databases, if an expectation may ask for them; empty if they are not known.
    package var tables: [NamedTable] = []
    /// The pictures of both sides, for reports that show them; nil for a side without one, or if they were not requested.
    public var pictures: (old: Picture?, new: Picture?) {
        get { (oldPicture, newPicture) }
        set { (oldPicture, newPicture) = newValue }
    }
    private var oldPicture: Picture?
    private var newPicture: Picture?

    /// An image's bytes.
    public struct Picture: Hashable, Sendable {
        /// The media type, such as `image/png`.
        public let type: String
        /// The bytes of the file, unchanged.
        public let bytes: [UInt8]

        /// Creates a picture from the bytes of an image file.
        public init(type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }
    }

    /// Creates a change. The code that compares the contents adds its details.
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

    /// The word that rules and reports use for the kind of change.
    public var word: String {
        switch kind {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .renamed: "renamed"
        case .type: "type"
        }
    }

    /// True if the entry's own line counts as a change. The line of a modified entry doesn't count if it has changes inside.
    public var countsItself: Bool { kind != .modified || unshown.isEmpty && !details.contains { $0.isChange } }

    /// True if everything about the entry is noise, and nothing that was not compared could be anything else.
    public var isNoise: Bool {
        (!countsItself || noise != nil) && unshown.signals == 0 && !mayHideSignal
            && details.allSatisfy { $0.noise != nil || !($0.isChange || $0.isGap) }
    }
}

/// The changes inside an entry that a comparison found and judged, but that are not among the entry's details.
public struct UnshownChanges: Hashable, Sendable {
    /// The properties by which changes are counted separately.
    private struct Sort: Hashable {
        let operation: String?
        let noise: NoiseClass?
    }

    private var numbers: [Sort: Int] = [:]
    /// True if a rule takes the entry out of noise because of its content, although that content is not reported.
    var mayBeSignal = false
    /// The tally of the changes for an expectation; nil if there is none.
    var tally: ExpectationTally?
    /// The rules that would classify the changes as noise; nil if they were not requested.
    var learned: LearnedRules?
    /// The clauses that describe the changes; nil if they were not requested.
    var described: ChangeDescriber?

    /// Creates an empty collection of changes.
    public init() {}

    mutating func count(_ operation: String?, _ noise: NoiseClass?) {
        numbers[Sort(operation: operation, noise: noise), default: 0] += 1
    }

    /// The number of changes.
    public var count: Int { numbers.values.reduce(0, +) }

    /// True if there are no changes.
    public var isEmpty: Bool { numbers.isEmpty }

    /// The number of changes that are not noise.
    public var signals: Int { numbers.reduce(0) { $0 + ($1.key.noise == nil ? $1.value : 0) } }

    /// The numbers of noise changes, by class.
    public var noise: [NoiseClass: Int] {
        var noise: [NoiseClass: Int] = [:]
        for (sort, number) in numbers {
            if let found = sort.noise { noise[found, default: 0] += number }
        }
        return noise
    }

    /// Returns the number of changes with an operation.
    ///
    /// - Parameters:
    ///   - operation: the name of the operation, as in ``ChangeDetail/operation``.
    ///   - countsNoise: true to include noise.
    public func count(of operation: String, countsNoise: Bool) -> Int {
        numbers.reduce(0) { $0 + ($1.key.operation == operation && (countsNoise || $1.key.noise == nil) ? $1.value : 0) }
    }
}
