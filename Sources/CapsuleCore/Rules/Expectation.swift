public import CapsulePropertyList

/// Which changes a run must make, may make, and must not make. (docs/diff.md, section 5)
public struct Expectation: Hashable, Sendable {
    /// A match, and how often it has to fit.
    public struct Clause: Hashable, Sendable {
        /// The changes that it speaks of.
        public let match: ChangeMatch
        /// How many lines may fit; nil where it was not said.
        public let count: ClosedRange<UInt64>?
        /// What it is for.
        public let note: String?

        /// A clause of a match.
        public init(_ match: ChangeMatch, count: ClosedRange<UInt64>? = nil, note: String? = nil) {
            self.match = match
            self.count = count
            self.note = note
        }
    }

    /// Changes that have to be there; they are allowed too.
    public var must: [Clause]
    /// Changes that are allowed.
    public var may: [Clause]
    /// Changes that have not to be there, whatever else allows them.
    public var mustNot: [Clause]
    /// Whether what nothing speaks of is allowed.
    public var allowsOther: Bool
    /// Whether noise needs to be allowed as all else does.
    public var checksNoise: Bool

    /// An expectation; one of nothing allows no change.
    public init(
        must: [Clause] = [], may: [Clause] = [], mustNot: [Clause] = [], allowsOther: Bool = false, checksNoise: Bool = false
    ) {
        self.must = must
        self.may = may
        self.mustNot = mustNot
        self.allowsOther = allowsOther
        self.checksNoise = checksNoise
    }
}

extension Expectation {
    /// The key that makes a property list an expectation.
    public static let mark: PlistString = "CapsuleExpectation"
    private static let keys = ["CapsuleExpectation", "Must", "May", "MustNot", "Other", "Noise"]

    /// Reads a document, strictly.
    ///
    /// - Throws: `unsupported` for another version, `invalid` for all else that is wrong, with the place in the document.
    public init(_ document: PlistValue) throws(OverlayError) {
        let part = try DocumentPart(document, marked: Self.mark)
        try part.checkKeys(Self.keys)
        self.init(
            must: try Self.clauses(part, "Must"), may: try Self.clauses(part, "May"), mustNot: try Self.clauses(part, "MustNot"),
            allowsOther: try Self.choice(part, "Other", "fail", "allow"),
            checksNoise: try Self.choice(part, "Noise", "ignore", "check"))
    }

    private static func clauses(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> [Clause] {
        var clauses: [Clause] = []
        for (number, element) in (try part.array(key) ?? []).enumerated() {
            let clause = try part.part(element, key, number)
            let match = try ChangeMatch(clause, others: ["Count", "Note"])
            clauses.append(Clause(match, count: try count(clause), note: try clause.string("Note")))
        }
        return clauses
    }

    private static func count(_ part: DocumentPart) throws(OverlayError) -> ClosedRange<UInt64>? {
        switch part.entries["Count"] {
        case nil: return nil
        case .integer(let count)?:
            guard let count = count.uint64 else { throw part.error("Count", "must be 0 or more") }
            return count...count
        case .dictionary(let entries)?:
            let range = DocumentPart(entries, at: part.place("Count"))
            try range.checkKeys(["Min", "Max"])
            guard !entries.isEmpty else { throw part.error("Count", "must have 'Min' or 'Max'") }
            let least = try bound(range, "Min") ?? 0
            let most = try bound(range, "Max") ?? .max
            guard least <= most else { throw part.error("Count", "'Min' is greater than 'Max'") }
            return least...most
        case let value?:
            throw part.error(
                "Count", "must be an integer or a dictionary, not \(value.typeNameWithArticle)",
                hint: "write an integer, or a dictionary with 'Min' and 'Max'")
        }
    }

    private static func bound(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> UInt64? {
        guard let value = part.entries[key] else { return nil }
        guard let count = value.integer?.uint64 else { throw part.error(key, "must be an integer, 0 or more") }
        return count
    }

    /// Whether the second of two words is there; the first is meant where there is none.
    private static func choice(
        _ part: DocumentPart, _ key: PlistString, _ first: String, _ second: String
    ) throws(OverlayError) -> Bool {
        switch try part.string(key) {
        case nil, first?: return false
        case second?: return true
        case let word?: throw part.error(key, "\(PlistString(word).quoted) is unknown", hint: "write '\(first)' or '\(second)'")
        }
    }
}
