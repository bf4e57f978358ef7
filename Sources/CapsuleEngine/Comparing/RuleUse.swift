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

    /// The user's rules that have decided about no change: nothing fits them, or later rules decide about all that does.
    public var unused: [NoiseRule] {
        zip(rules.userRules, marks).filter { !$0.1.isSet.load(ordering: .relaxed) }.map(\.0)
    }
}
