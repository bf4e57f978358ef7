/// The changes inside an entry that a comparison found and judged, and that are not among the entry's details.
public struct UnshownChanges: Hashable, Sendable {
    /// What a change counts as.
    private struct Sort: Hashable {
        let operation: String?
        let noise: NoiseClass?
    }

    private var numbers: [Sort: Int] = [:]
    /// Whether a rule takes the entry out of noise for what is in it, though that is not reported by itself.
    var mayBeSignal = false
    /// What an expectation makes of them; nil where none was asked.
    var tally: ExpectationTally?
    /// The rules that would silence them; nil where none are wanted.
    var learned: LearnedRules?
    /// The clauses that name them; nil where none are wanted.
    var described: ChangeDescriber?

    /// No changes.
    public init() {}

    mutating func count(_ operation: String?, _ noise: NoiseClass?) {
        numbers[Sort(operation: operation, noise: noise), default: 0] += 1
    }

    /// How many there are.
    public var count: Int { numbers.values.reduce(0, +) }

    /// Whether there are none.
    public var isEmpty: Bool { numbers.isEmpty }

    /// How many are not noise.
    public var signals: Int { numbers.reduce(0) { $0 + ($1.key.noise == nil ? $1.value : 0) } }

    /// How many are noise, by class.
    public var noise: [NoiseClass: Int] {
        var noise: [NoiseClass: Int] = [:]
        for (sort, number) in numbers {
            if let found = sort.noise { noise[found, default: 0] += number }
        }
        return noise
    }

    /// How many there are of an operation.
    ///
    /// - Parameters:
    ///   - operation: as ``ChangeDetail/operation`` names it.
    ///   - countsNoise: whether those that are noise count.
    public func count(of operation: String, countsNoise: Bool) -> Int {
        numbers.reduce(0) { $0 + ($1.key.operation == operation && (countsNoise || $1.key.noise == nil) ? $1.value : 0) }
    }
}
