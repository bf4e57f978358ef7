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
