public import CapsulePropertyList

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

/// A pattern for the places of a property list. `*` matches one key or index, `**` any number of them.
///
/// A pattern with a leading `/` begins at the root. Any other one begins anywhere, as if it had a leading `**/`.
/// (docs/overlay.md, section 2)
public struct PointerPattern: Hashable, Sendable {
    /// One step of a pattern.
    enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any
        case deep
    }

    let steps: [Step]

    /// The number of literal steps. If several patterns match, the one with the greatest weight is used.
    public var weight: Int {
        steps.count { step in
            if case .literal = step { true } else { false }
        }
    }

    /// Creates a pattern from its text. Its steps are escaped as in a pointer (RFC 6901), with `~0` and `~1`.
    ///
    /// - Throws: `invalid` for an empty pattern, or for a `~` that is part of neither.
    public init(_ text: String) throws(OverlayError) {
        guard !text.isEmpty else {
            throw OverlayError(.invalid, "the pattern is empty", hint: "write a key, 'A/*/B' or '/A/B'")
        }
        let isAnchored = text.hasPrefix("/")
        let pointer: PlistPointer
        do throws(PlistError) {
            pointer = try PlistPointer(isAnchored ? text : "/" + text)
        } catch {
            throw OverlayError(.invalid, error.message, hint: error.hint)
        }
        var steps: [Step] = isAnchored ? [] : [.deep]
        for step in pointer.steps {
            switch step.string {
            case "*": steps.append(.any)
            case "**": if steps.last != .deep { steps.append(.deep) }
            default: steps.append(.literal(step))
            }
        }
        self.steps = steps
    }

    /// Returns true if the pattern matches the whole place.
    public func matches(_ place: PlistPointer) -> Bool { matches(place.steps) }

    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    func matches(_ place: [PlistString]) -> Bool {
        DeepMatching.matches(steps, place, isDeep: { $0 == .deep }, fits: fits)
    }

    private func fits(_ step: Step, _ taken: PlistString) -> Bool {
        switch step {
        case .literal(let key): key == taken
        case .any: true
        case .deep: false
        }
    }
}

extension PointerPattern: CustomStringConvertible {
    /// The pattern as it can be written: `A/*/B`, `/A/**/B`.
    public var description: String {
        let isAnchored = steps.first != .deep
        let words = (isAnchored ? steps : Array(steps.dropFirst())).map { step in
            switch step {
            case .literal(let key): String(PlistPointer(steps: [key]).description.dropFirst())
            case .any: "*"
            case .deep: "**"
            }
        }
        guard !isAnchored else { return "/" + words.joined(separator: "/") }
        // A text that would be empty, or look like a pattern that begins at the root, gets a leading `**`.
        return words.isEmpty ? "**" : (words[0].isEmpty ? "**/" : "") + words.joined(separator: "/")
    }
}

/// Matches the steps of a place with those of a pattern, some of which match any number of steps.
enum DeepMatching {
    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    @inline(__always)
    static func matches<Step, Word>(
        _ steps: [Step], _ place: [Word], isDeep: (Step) -> Bool, fits: (Step, Word) -> Bool
    ) -> Bool {
        var (step, at) = (0, 0)
        // The position to continue from if the steps after the last deep step don't match.
        var retry: (step: Int, at: Int)?
        while at < place.count {
            if step < steps.count, isDeep(steps[step]) {
                retry = (step + 1, at)
                step += 1
            } else if step < steps.count, fits(steps[step], place[at]) {
                step += 1
                at += 1
            } else if let (from, tried) = retry {
                retry = (from, tried + 1)
                (step, at) = (from, tried + 1)
            } else {
                return false
            }
        }
        while step < steps.count, isDeep(steps[step]) { step += 1 }
        return step == steps.count
    }
}
