public import CapsulePropertyList

/// With what an overlay is applied: the names that are set, and what the command line says.
public struct OverlayContext: Sendable {
    /// The environment, with what was defined over it.
    public var values: [String: String]
    /// Conditions beside those of the overlay.
    public var conditions: [Condition]
    /// Identities that are asked before those of the overlay.
    public var arrays: [ArrayIdentities.Rule]
    /// Whether names in the overlay's values are expanded.
    public var expands: Bool
    /// The target to take where the overlay has several with paths; nil where it must have none.
    public var targetPath: String?
    /// How nested documents are looked into.
    public var nested: NestedCoding
    /// Whether an overlay of which nothing applies is an error.
    public var requires = false

    /// Nothing set, nothing expanded, unless changed.
    public init(
        values: [String: String] = [:], conditions: [Condition] = [], arrays: [ArrayIdentities.Rule] = [], expands: Bool = false,
        targetPath: String? = nil, nested: NestedCoding = .standard
    ) {
        self.values = values
        self.conditions = conditions
        self.arrays = arrays
        self.expands = expands
        self.targetPath = targetPath
        self.nested = nested
    }

    /// What is so that a part is passed over: `CONFIGURATION is Release`; nil if all conditions hold.
    package func obstacle(_ conditions: [Condition]) -> String? {
        conditions.first { !$0.holds(in: values) }?.state(in: values)
    }
}
