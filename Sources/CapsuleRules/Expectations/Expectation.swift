package import CapsuleCore
package import CapsulePropertyList

/// The changes that a run must make, may make, and must not make. (docs/diff.md, section 5)
package struct Expectation: Hashable, Sendable {
    /// A match, with the number of changes that may match it.
    package struct Clause: Hashable, Sendable {
        package let match: ChangeMatch
        /// The permitted number of matching lines; nil if the clause has no `Count`.
        package let count: ClosedRange<UInt64>?
        package let pin: FilePin?
        package let note: String?

        package init(_ match: ChangeMatch, count: ClosedRange<UInt64>? = nil, pin: FilePin? = nil, note: String? = nil) {
            self.match = match
            self.count = count
            self.pin = pin
            self.note = note
        }
    }

    /// Changes that must happen. They are allowed, too.
    package var must: [Clause]
    package var may: [Clause]
    /// Changes that must not happen, even if another clause allows them.
    package var mustNot: [Clause]
    package var allowsOther: Bool
    /// True if noise must be allowed like any other change.
    package var checksNoise: Bool

    package init(
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
    package static let mark: PlistString = "CapsuleExpectation"
    private static let keys = ["CapsuleExpectation", "Must", "May", "MustNot", "Other", "Noise"]

    /// Reads a document and rejects anything unknown in it.
    package init(_ document: PlistValue) throws(OverlayError) {
        let part = try DocumentPart(document, marked: Self.mark)
        try part.checkKeys(Self.keys)
        self.init(
            must: try Self.clauses(part, "Must"), may: try Self.clauses(part, "May"), mustNot: try Self.clauses(part, "MustNot"),
            allowsOther: try Self.choice(part, "Other", "fail", "allow"),
            checksNoise: try Self.choice(part, "Noise", "ignore", "check"))
    }

    private static func clauses(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> [Clause] {
        let elements = try part.array(key) ?? []
        var clauses: [Clause] = []
        // A clause is large, so growing the array step by step would move much memory.
        clauses.reserveCapacity(elements.count)
        for (number, element) in elements.enumerated() {
            let clause = try part.part(element, key, number)
            let match = try ChangeMatch(clause, others: ["Count", "Note"] + FilePin.keys)
            clauses.append(Clause(match, count: try count(clause), pin: try FilePin(clause), note: try clause.string("Note")))
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

    /// Returns true if the value of a key is the second of two words. Without the key, the first word is the default.
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
