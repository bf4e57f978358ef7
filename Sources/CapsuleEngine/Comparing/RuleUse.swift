public import CapsuleCore
import Synchronization

/// Which of a user's rules have decided about a change, noted by all threads that compare.
public final class RuleUse: Sendable {
    private final class Mark: Sendable {
        let isSet = Atomic<Bool>(false)

        /// Written once: after that the threads only read.
        func set() {
            if !isSet.load(ordering: .relaxed) { isSet.store(true, ordering: .relaxed) }
        }
    }

    private let marks: [Mark]
    /// The rules, which note their use here.
    public let rules: NoiseRules

    /// No rule has decided yet.
    public init(of rules: NoiseRules) {
        let marks = rules.userRules.map { _ in Mark() }
        self.marks = marks
        var noting = rules
        noting.onUse = { marks[$0].set() }
        self.rules = noting
    }

    /// The user's rules that decide about no change of a comparison: nothing matches them, or a later rule matches too.
    public func unused(in diff: ContainerDiff) -> [UnusedRule] {
        let isInAppData = diff.entries.contains { ContainerNames.insideAppData($0.path.bytes) != nil }
        return zip(rules.userRules, marks).enumerated().compactMap { index, rule in
            rule.1.isSet.load(ordering: .relaxed) ? nil : UnusedRule(rule.0, number: index + 1, isInAppData: isInAppData)
        }
    }
}
