/// What must hold for an overlay, a target or an operation to be applied: a name of the environment and what its value is.
public struct Condition: Hashable, Sendable {
    /// What the value has to be.
    public enum Demand: Hashable, Sendable {
        /// Set, and none of the empty text, `NO`, `0` and `false`.
        case isTrue
        /// The opposite; unset counts as false.
        case isFalse
        /// One of these texts; unset counts as the empty one.
        case isAny([String])
    }

    /// The name of the environment, or of a definition.
    public let name: String
    /// What its value has to be.
    public let demand: Demand

    /// A condition on a name.
    public init(_ name: String, _ demand: Demand) {
        self.name = name
        self.demand = demand
    }

    /// Reads `NAME=VALUE` or `NAME`.
    ///
    /// - Throws: `invalid` for what ``SettingName`` refuses.
    public init(argument: String) throws(OverlayError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let name = parts.first, !name.isEmpty else {
            throw OverlayError(
                .invalid, "the condition '\(argument)' has no name", hint: "write 'NAME=VALUE', or 'NAME' to set it to true")
        }
        try SettingName.check(name, value: parts.count == 2 ? parts[1] : nil)
        self.init(name, parts.count == 2 ? .isAny([parts[1]]) : .isTrue)
    }

    /// Whether it holds.
    ///
    /// - Parameter values: the names that are set.
    public func holds(in values: [String: String]) -> Bool {
        let value = values[name]
        switch demand {
        case .isTrue: return Self.isTrue(value)
        case .isFalse: return !Self.isTrue(value)
        case .isAny(let texts): return texts.contains(value ?? "")
        }
    }

    /// What is so, for a report: `CONFIGURATION is Release`.
    public func state(in values: [String: String]) -> String {
        guard let value = values[name] else { return "\(name) is not set" }
        return value.isEmpty ? "\(name) is empty" : "\(name) is \(value)"
    }

    private static func isTrue(_ value: String?) -> Bool {
        guard let value else { return false }
        return !["", "NO", "0", "false"].contains(value)
    }
}
