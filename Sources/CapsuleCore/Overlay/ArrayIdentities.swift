public import CapsulePropertyList

/// Which arrays have which identity: what an overlay or the command line says, then the built-in table.
public struct ArrayIdentities: Hashable, Sendable {
    /// Where arrays are, and how their elements pair.
    public struct Rule: Hashable, Sendable {
        /// The arrays that it is about.
        public let pattern: PointerPattern
        /// How they pair.
        public let identity: ArrayIdentity

        /// A rule of these two parts.
        public init(_ pattern: PointerPattern, _ identity: ArrayIdentity) {
            self.pattern = pattern
            self.identity = identity
        }
    }

    /// Of the command line, then of the overlay; one that fits beats all that are built in.
    public private(set) var rules: [Rule]
    private let usesBuiltIn: Bool

    /// The built-in table alone, or with rules before it.
    public init(_ rules: [Rule] = [], usesBuiltIn: Bool = true) {
        self.rules = rules
        self.usesBuiltIn = usesBuiltIn
    }

    /// All that is asked for an identity.
    var patterns: [PointerPattern] { (rules + (usesBuiltIn ? Self.builtIn : [])).map(\.pattern) }

    /// The identity of the array at a place; nil if none is known.
    ///
    /// - Throws: `ambiguous` if two rules of different identities say equally much about it.
    public func identity(at place: [PlistString]) throws(OverlayError) -> ArrayIdentity? {
        if let own = try Self.best(rules, at: place) { return own }
        return usesBuiltIn ? try Self.best(Self.builtIn, at: place) : nil
    }

    private static func best(_ rules: [Rule], at place: [PlistString]) throws(OverlayError) -> ArrayIdentity? {
        var best: Rule?
        for rule in rules where rule.pattern.matches(place) {
            guard let known = best else {
                best = rule
                continue
            }
            if rule.pattern.weight > known.pattern.weight {
                best = rule
            } else if rule.pattern.weight == known.pattern.weight, rule.identity != known.identity {
                throw OverlayError(
                    .ambiguous,
                    "'\(known.pattern)' and '\(rule.pattern)' both match, but set different identities: \(known.identity) and \(rule.identity)",
                    at: PlistPointer(steps: place), hint: "make one pattern more specific")
            }
        }
        return best?.identity
    }
}
