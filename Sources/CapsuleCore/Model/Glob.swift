/// A pattern over whole tree paths, by bytes: `*` within a component, `**` across `/`, `?`, `[a-z]`, `[!a-z]`, `\` escapes;
/// no braces. One over texts has no components: `*`, `?` and `[…]` take `/` like any other byte.
public struct Glob: Hashable, Sendable {
    /// As it was written.
    public let pattern: [UInt8]
    /// The bytes that all that fits begins with.
    let prefix: [UInt8]
    /// What follows them.
    let steps: [Step]

    enum Step: Hashable, Sendable {
        case byte(UInt8)
        /// `?`: one byte but `/`.
        case any
        /// `?` in a pattern over texts: one byte.
        case anyByte
        /// `[…]`: one of these ranges, or none of them, and `/` only in a pattern over texts.
        case oneOf([ClosedRange<UInt8>], negated: Bool, slash: Bool)
        /// `*`: any run without `/`.
        case run
        /// `**`: any run.
        case deepRun
        /// `**/`: nothing, or any run that ends in `/`.
        case directories
    }

    /// - Parameters:
    ///   - pattern: its bytes.
    ///   - isText: whether it is one over texts, and not over paths.
    /// - Throws: ``GlobError`` for an empty pattern, an open or empty `[`, a range that runs backwards, a trailing `\`.
    public init(_ pattern: [UInt8], isText: Bool = false) throws(GlobError) {
        self.pattern = pattern
        guard !pattern.isEmpty else { throw GlobError(message: "the pattern is empty") }
        var steps: [Step] = []
        var index = 0
        while index < pattern.count {
            switch pattern[index] {
            case UInt8(ascii: "*"):
                var end = index
                while end < pattern.count, pattern[end] == UInt8(ascii: "*") { end += 1 }
                let opensComponent = index == 0 || pattern[index - 1] == RelativePath.slash
                if isText {
                    steps.append(.deepRun)
                } else if end - index == 1 {
                    steps.append(.run)
                } else if opensComponent, end < pattern.count, pattern[end] == RelativePath.slash {
                    steps.append(.directories)
                    end += 1
                } else {
                    steps.append(.deepRun)
                }
                index = end
            case UInt8(ascii: "?"):
                steps.append(isText ? .anyByte : .any)
                index += 1
            case UInt8(ascii: "["):
                steps.append(try Self.bracket(in: pattern, at: &index, slash: isText))
            case UInt8(ascii: "\\"):
                guard index + 1 < pattern.count else { throw GlobError(message: "the pattern ends in '\\'") }
                steps.append(.byte(pattern[index + 1]))
                index += 2
            case let byte:
                steps.append(.byte(byte))
                index += 1
            }
        }
        let literals = steps.prefix { if case .byte = $0 { true } else { false } }
        prefix = literals.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
        self.steps = Array(steps.dropFirst(literals.count))
    }

    /// A pattern that one text alone fits.
    public init(literal text: [UInt8]) {
        var pattern: [UInt8] = []
        for byte in text {
            if Self.special.contains(byte) { pattern.append(UInt8(ascii: "\\")) }
            pattern.append(byte)
        }
        self.pattern = pattern
        prefix = text
        steps = []
    }

    /// The bytes that mean something in a pattern.
    package static let special: [UInt8] = Array("*?[\\".utf8)

    /// The one text that fits; nil for a pattern that more may fit.
    public var literal: [UInt8]? { steps.isEmpty ? prefix : nil }

    private static func bracket(in pattern: [UInt8], at index: inout Int, slash: Bool) throws(GlobError) -> Step {
        var cursor = index + 1
        var negated = false
        if cursor < pattern.count, pattern[cursor] == UInt8(ascii: "!") || pattern[cursor] == UInt8(ascii: "^") {
            negated = true
            cursor += 1
        }
        var ranges: [ClosedRange<UInt8>] = []
        while true {
            guard cursor < pattern.count else { throw GlobError(message: "'[' is not closed") }
            if pattern[cursor] == UInt8(ascii: "]"), !ranges.isEmpty { break }
            let low = try member(in: pattern, at: &cursor)
            var high = low
            if cursor + 1 < pattern.count, pattern[cursor] == UInt8(ascii: "-"), pattern[cursor + 1] != UInt8(ascii: "]") {
                cursor += 1
                high = try member(in: pattern, at: &cursor)
            }
            guard low <= high else { throw GlobError(message: "a range in '[…]' is reversed") }
            ranges.append(low...high)
        }
        index = cursor + 1
        return .oneOf(ranges, negated: negated, slash: slash)
    }

    private static func member(in pattern: [UInt8], at cursor: inout Int) throws(GlobError) -> UInt8 {
        if pattern[cursor] == UInt8(ascii: "\\") { cursor += 1 }
        guard cursor < pattern.count else { throw GlobError(message: "'[' is not closed") }
        defer { cursor += 1 }
        return pattern[cursor]
    }
}

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

extension Glob {
    /// Why a pattern matches no path, whatever is in a container; nil where it may.
    public static func problem(ofPath pattern: [UInt8]) -> String? {
        if pattern.first == RelativePath.slash || pattern.last == RelativePath.slash {
            return "matches no path: paths don't start or end with '/'"
        }
        let idle = pattern.split(separator: RelativePath.slash, omittingEmptySubsequences: false).first { component in
            component.isEmpty || component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8)
        }
        guard let idle, !pattern.isEmpty else { return nil }
        return "matches no path: paths have no \(idle.isEmpty ? "empty" : "'\(String(decoding: idle, as: UTF8.self))'") component"
    }
}

/// Why bytes are no pattern.
public struct GlobError: Error, Hashable, Sendable {
    /// What is wrong, lower case, no period.
    public let message: String
}
