extension Glob {
    /// Whether the whole of `path` fits.
    public func matches(_ path: RelativePath) -> Bool {
        matches(path.bytes)
    }

    /// Whether the whole of `text` fits; the cost is at most pattern × text.
    public func matches(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { matches($0) }
    }

    /// Whether the whole of the bytes fits.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= prefix.count else { return false }
        // Most paths are told from most patterns by their first bytes.
        for index in prefix.indices where prefix[index] != text[index] { return false }
        let rest = UnsafeBufferPointer(rebasing: text[prefix.count...])
        if steps.isEmpty { return rest.isEmpty }
        if steps.count == 1, case .deepRun = steps[0] { return true }
        return steps.count < UInt64.bitWidth ? fitsShort(rest) : fitsLong(rest)
    }

    /// The set of steps that could come next, one bit each: no backtracking, so no pattern is slow.
    func fitsShort(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        steps.withUnsafeBufferPointer { steps in
            var states = Self.reached(0, steps)
            for byte in text {
                if states == 0 { return false }
                var next: UInt64 = 0
                while states != 0 {
                    let state = states.trailingZeroBitCount
                    states &= states &- 1
                    guard state < steps.count else { continue }
                    let move = steps[state].move(over: byte)
                    if move.stays { next |= 1 << UInt64(state) }
                    if move.advances { next |= Self.reached(state + 1, steps) }
                }
                states = next
            }
            return states >> UInt64(steps.count) & 1 == 1
        }
    }

    /// A state and those reached from it without a byte.
    private static func reached(_ state: Int, _ steps: UnsafeBufferPointer<Step>) -> UInt64 {
        var (state, states) = (state, UInt64(1) << UInt64(state))
        while state < steps.count, steps[state].mayBeEmpty {
            state += 1
            states |= 1 << UInt64(state)
        }
        return states
    }

    /// Whether something may fit that begins with these bytes.
    func mayMatch(startingWith text: [UInt8]) -> Bool {
        guard zip(prefix, text).allSatisfy({ $0 == $1 }) else { return false }
        guard text.count > prefix.count else { return true }
        return text[prefix.count...].withUnsafeBufferPointer { rest in
            let states = states(after: rest)
            return states.entered.contains(true) || states.stayed.contains(true)
        }
    }

    /// The same for patterns of more steps than a word has bits.
    func fitsLong(_ text: UnsafeBufferPointer<UInt8>) -> Bool { states(after: text).entered[steps.count] }

    /// The steps that could come next: those that the text has come to, and those that go on.
    private func states(after text: UnsafeBufferPointer<UInt8>) -> (entered: [Bool], stayed: [Bool]) {
        let none = [Bool](repeating: false, count: steps.count + 1)
        var (entered, stayed) = (none, none)
        entered[0] = true
        spread(&entered)
        for byte in text {
            var (nextEntered, nextStayed) = (none, none)
            for state in steps.indices where entered[state] || stayed[state] {
                let move = steps[state].move(over: byte)
                if move.stays { nextStayed[state] = true }
                if move.advances { nextEntered[state + 1] = true }
            }
            (entered, stayed) = (nextEntered, nextStayed)
            spread(&entered)
        }
        return (entered, stayed)
    }

    /// Adds the states that are reached without a byte.
    private func spread(_ entered: inout [Bool]) {
        for state in steps.indices where entered[state] && steps[state].mayBeEmpty { entered[state + 1] = true }
    }
}

extension Glob.Step {
    /// Whether what follows may come without a byte for this.
    var mayBeEmpty: Bool {
        switch self {
        case .run, .deepRun, .directories: true
        case .byte, .any, .anyByte, .oneOf: false
        }
    }

    /// Whether a byte leaves this the next step, and whether it leads to the one after it.
    @inline(__always)
    func move(over byte: UInt8) -> (stays: Bool, advances: Bool) {
        let isSlash = byte == RelativePath.slash
        switch self {
        case .byte(let wanted): return (false, byte == wanted)
        case .any: return (false, !isSlash)
        case .anyByte: return (false, true)
        case .oneOf(let ranges, let negated, let slash):
            return (false, (slash || !isSlash) && ranges.contains { $0.contains(byte) } != negated)
        case .run: return (!isSlash, !isSlash)
        case .deepRun: return (true, true)
        // Only the whole of a component's name is one of the directories.
        case .directories: return (true, isSlash)
        }
    }
}
