import CapsulePropertyList

/// Numbers how far patterns have come on the way to a place: places of one state are, with whatever follows, told apart by none.
///
/// The states are made as they are met, from sets of positions in the patterns (the subset construction).
struct PatternStates {
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
