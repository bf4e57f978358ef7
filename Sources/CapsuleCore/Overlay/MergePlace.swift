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
