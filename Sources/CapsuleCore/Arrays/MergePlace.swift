import CapsulePropertyList

/// Where a merge is, and how the array there pairs.
struct MergePlace {
    private let identities: ArrayIdentities
    private(set) var steps: [PlistString] = []
    private var startCount = 0
    /// Made when it is first asked for: the merge of a few scalars needs none.
    private var patterns: PatternStates?
    /// The states of the place's beginnings, as far as they were asked for; the first is that of no step.
    private var states: [Int] = []
    /// What was found for the arrays of a state.
    private var known: [Int: ArrayIdentity?] = [:]

    init(_ identities: ArrayIdentities) {
        self.identities = identities
    }

    var pointer: PlistPointer { PlistPointer(steps: steps) }

    /// Whether no step was taken yet.
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

    /// A number that places have in common below which all arrays pair alike.
    mutating func state() -> Int {
        var patterns = self.patterns ?? PatternStates(identities.patterns)
        // What is changed must have one owner, or it is copied.
        self.patterns = nil
        defer { self.patterns = patterns }
        if states.isEmpty { states.append(PatternStates.start) }
        while states.count <= steps.count {
            states.append(patterns.next(states[states.count - 1], steps[states.count - 1]))
        }
        return states[steps.count]
    }

    /// The identity of an array here; nil if none is known.
    mutating func identity() throws(OverlayError) -> ArrayIdentity? {
        let state = state()
        if let known = known[state] { return known }
        let identity = try identities.identity(at: steps)
        known.updateValue(identity, forKey: state)
        return identity
    }
}

/// Numbers how far patterns have come on the way to a place: places of one state are, with whatever follows, told apart by none.
///
/// The states are made as they are met, from sets of positions in the patterns (the subset construction).
private struct PatternStates {
    private struct Move: Hashable {
        let state: Int
        /// The number of a step that some pattern names; nil for any other.
        let literal: Int?
    }

    /// The state of no step.
    static let start = 0

    /// Of all patterns one after the other; nil at the end of each.
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

    /// The state one step further.
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

    /// `**` may stand for no step at all.
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
