import CapsulePropertyList

/// The current place of a merge, and the identity of the array there.
struct MergePath {
    private let identities: ArrayIdentities
    private(set) var steps: [PlistString] = []
    private var startCount = 0
    /// Created when first needed: a merge of a few scalars does not use it.
    private var patterns: PatternStates?
    /// The states of the prefixes of the place, as far as they were needed. The first one is that of the empty prefix.
    private var states: [Int] = []
    /// The identities that were found for the arrays of each state.
    private var known: [Int: ArrayIdentity?] = [:]

    init(_ identities: ArrayIdentities) {
        self.identities = identities
    }

    var pointer: PlistPointer { PlistPointer(steps: steps) }

    /// True if no step was taken since the start.
    var isStart: Bool { steps.count == startCount }

    mutating func start(at steps: [PlistString]) {
        self.steps = steps
        startCount = steps.count
        states = []
    }

    mutating func push(_ step: PlistString) { steps.append(step) }

    mutating func pop() {
        steps.removeLast()
        if states.count > steps.count + 1 { states.removeLast() }
    }

    /// Returns a number that is the same for places below which all arrays are paired alike.
    mutating func state() -> Int {
        var patterns = self.patterns ?? PatternStates(identities.patterns)
        // A value with a second owner would be copied when it changes.
        self.patterns = nil
        defer { self.patterns = patterns }
        if states.isEmpty { states.append(PatternStates.start) }
        while states.count <= steps.count {
            states.append(patterns.next(states[states.count - 1], steps[states.count - 1]))
        }
        return states[steps.count]
    }

    /// Returns the identity of an array at this place, or nil if none is known.
    mutating func identity() throws(OverlayError) -> ArrayIdentity? {
        let state = state()
        if let known = known[state] { return known }
        let identity = try identities.identity(at: steps)
        known.updateValue(identity, forKey: state)
        return identity
    }
}

/// Assigns numbers to the progress of all patterns along a place. No pattern distinguishes places with the same state, whatever
/// steps follow.
///
/// The states are created as they are met, from sets of positions in the patterns (subset construction).
private struct PatternStates {
    private struct Move: Hashable {
        let state: Int
        /// The number of a step that occurs in a pattern, or nil for any other step.
        let literal: Int?
    }

    /// The state before any step.
    static let start = 0

    /// The steps of all patterns, one after the other, with nil at the end of each.
    private var steps: [PointerPattern.Step?] = []
    private var literals: [PlistString: Int] = [:]
    private var states: [Set<Int>] = []
    private var numbers: [Set<Int>: Int] = [:]
    private var moves: [Move: Int] = [:]

    init(_ patterns: [PointerPattern]) {
        var starts: [Int] = []
        for pattern in patterns {
            starts.append(steps.count)
            for step in pattern.steps {
                steps.append(step)
                if case .literal(let key) = step, literals[key] == nil { literals[key] = literals.count }
            }
            steps.append(nil)
        }
        var first: Set<Int> = []
        for position in starts { add(position, to: &first) }
        _ = number(of: first)
    }

    /// Returns the state after one more step.
    mutating func next(_ state: Int, _ step: PlistString) -> Int {
        let move = Move(state: state, literal: literals[step])
        if let known = moves[move] { return known }
        var positions: Set<Int> = []
        for position in states[state] {
            switch steps[position] {
            case .deep: add(position, to: &positions)
            case .any: add(position + 1, to: &positions)
            case .literal(let key): if key == step { add(position + 1, to: &positions) }
            case nil: break
            }
        }
        let next = number(of: positions)
        moves[move] = next
        return next
    }

    /// Adds a position and, because `**` may match no steps, the position after a `**`.
    private func add(_ position: Int, to positions: inout Set<Int>) {
        positions.insert(position)
        if case .deep = steps[position] { add(position + 1, to: &positions) }
    }

    private mutating func number(of positions: Set<Int>) -> Int {
        if let known = numbers[positions] { return known }
        states.append(positions)
        numbers[positions] = states.count - 1
        return states.count - 1
    }
}
