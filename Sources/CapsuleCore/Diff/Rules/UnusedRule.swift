/// A rule of a user's that decides about no change: nothing matches it, or a later rule matches too.
public struct UnusedRule: Hashable, Sendable {
    /// Its number in the document, from 1.
    public let number: Int
    /// What it says.
    public let rule: NoiseRule
    /// The pattern without the wrapper's `AppData/`; nil for one that does not begin with it.
    public let pathInside: String?

    /// - Parameter isInAppData: whether paths of the comparison begin with `AppData/`, so that such a pattern is no slip.
    package init(_ rule: NoiseRule, number: Int, isInAppData: Bool) {
        self.number = number
        self.rule = rule
        pathInside = isInAppData ? nil : rule.match.pathPattern.flatMap { ContainerNames.insideAppData($0.pattern) }
    }

    /// Where it is in the document, as a JSON Pointer: `/Rules/0`.
    public var pointer: String { "/Rules/\(number - 1)" }

    /// What is wrong, on one line: `rule 2 is unused: tmp/x`.
    public var text: String { "rule \(number) is unused: \(rule.match)" }

    /// What to do about it, if that is known.
    public var hint: String? { pathInside.map(ContainerNames.hint(forPathInside:)) }
}
