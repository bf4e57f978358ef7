package import CapsuleCore
package import CapsuleHashing
package import CapsulePropertyList

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

extension EntryChange {
    /// The entry's own line: its path, and the word for its change.
    var line: String {
        if case .renamed(let from) = kind { return "\(from) → \(path) (renamed)" }
        return "\(path) (\(word))"
    }

    var summary: ChangeSummary {
        ChangeSummary(place: .init(path: path), kind: word, operation: word, old: nil, new: nil, text: line)
    }
}

/// The identity of the content of a file, for an expectation that asks for it.
package struct FileContent: Hashable, Sendable {
    /// True for a database, whose bytes differ even if it has the same rows.
    package let isDatabase: Bool
    /// The digest of the value of a property list or of JSON, or of the rows of a database; nil if it can't be read, and for any other
    /// file. Dates, times, UUIDs and container paths count as such, not by their value, because they differ in every run.
    package let digest: ContentDigest?

    package init(isDatabase: Bool, digest: ContentDigest?) {
        self.isDatabase = isDatabase
        self.digest = digest
    }
}
