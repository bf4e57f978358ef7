/// The rules that tell noise from changes: the last one that fits decides, and what none fits is no noise.
/// (docs/diff.md, section 4)
public struct NoiseRules: Sendable {
    /// A class, and what it is for people.
    public struct NamedClass: Hashable, Sendable {
        /// The class.
        public let name: NoiseClass
        /// What it is for, in a few words.
        public let text: String

        /// A class with its explanation.
        public init(_ name: NoiseClass, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Those that are built in, then a user's.
    public let rules: [NoiseRule]
    /// How many of the rules are built in. They leave alone what a handler knows to be noise.
    let builtInCount: Int
    /// The classes that are explained, each once.
    public let classes: [NamedClass]
    let paths: PathTable
    /// Called with the number of each of ``userRules`` that decides about a change, by any thread.
    public var onUse: (@Sendable (Int) -> Void)?

    /// What is built in alone.
    public init() {
        self.init(rules: [], classes: [])
    }

    /// A user's rules behind what is built in.
    public init(rules: [NoiseRule], classes: [NamedClass] = []) {
        self.init(
            builtIn: Self.builtIn, rules: rules,
            classes: Self.builtInClasses.filter { known in
                !classes.contains { $0.name == known.name }
            } + classes)
    }

    private init(builtIn: [NoiseRule], rules: [NoiseRule], classes: [NamedClass]) {
        self.rules = builtIn + rules
        builtInCount = builtIn.count
        self.classes = classes
        paths = PathTable(self.rules.lazy.map(\.match))
    }

    /// Notes that a rule decides about a change.
    func noteUse(of number: Int) {
        if number >= builtInCount { onUse?(number - builtInCount) }
    }

    /// No rules at all.
    static let none = NoiseRules(builtIn: [], rules: [], classes: [])

    /// These rules with more behind them, which override them.
    public func adding(_ more: NoiseRules) -> NoiseRules {
        let renamed = Set(more.userClasses.map(\.name))
        return NoiseRules(
            rules: userRules + more.userRules, classes: userClasses.filter { !renamed.contains($0.name) } + more.userClasses)
    }

    /// Those that are not built in.
    public var userRules: [NoiseRule] { Array(rules[builtInCount...]) }

    private var userClasses: [NamedClass] {
        classes.filter { !Self.builtInClasses.contains($0) }
    }
}
