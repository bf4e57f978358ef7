/// A pattern for whole tree paths or for texts, compared by bytes.
///
/// In a path pattern, `*` matches within a component and `**` also matches across `/`. `?`, `[a-z]` and `[!a-z]` match one byte
/// that is not `/`. `\` escapes a byte. Braces have no meaning. A text pattern has no components: its `*`, `?` and `[…]` match
/// `/` like any other byte.
package struct Glob: Hashable, Sendable {
    package let pattern: [UInt8]
    package let prefix: [UInt8]
    package let steps: [Step]

    package enum Step: Hashable, Sendable {
        case byte(UInt8)
        /// `?`: one byte other than `/`.
        case any
        /// `?` in a text pattern: any one byte.
        case anyByte
        /// `[…]`: one byte in these ranges, or outside them if negated. It matches `/` only in a text pattern.
        case oneOf([ClosedRange<UInt8>], negated: Bool, slash: Bool)
        /// `*`: any sequence of bytes without `/`.
        case run
        /// `**`: any sequence of bytes.
        case deepRun
        /// `**/`: nothing, or any sequence of bytes that ends in `/`.
        case directories
    }

    /// - Throws: ``GlobError`` for an empty pattern, an unclosed or empty `[`, a reversed range, or a `\` at the end.
    package init(_ pattern: [UInt8], isText: Bool = false) throws(GlobError) {
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

    package init(literal text: [UInt8]) {
        var pattern: [UInt8] = []
        for byte in text {
            if Self.special.contains(byte) { pattern.append(UInt8(ascii: "\\")) }
            pattern.append(byte)
        }
        self.pattern = pattern
        prefix = text
        steps = []
    }

    package static let special: [UInt8] = Array("*?[\\".utf8)

    /// The only text that matches, or nil if the pattern has wildcards or brackets.
    package var literal: [UInt8]? { steps.isEmpty ? prefix : nil }

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
    package func matches(_ path: RelativePath) -> Bool {
        matches(path.bytes)
    }

    /// Returns true if the pattern matches the whole of `text`, in time proportional to pattern × text at most.
    package func matches(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { matches($0) }
    }

    package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= prefix.count else { return false }
        // The first bytes rule out most patterns for most paths.
        for index in prefix.indices where prefix[index] != text[index] { return false }
        let rest = UnsafeBufferPointer(rebasing: text[prefix.count...])
        if steps.isEmpty { return rest.isEmpty }
        if steps.count == 1, case .deepRun = steps[0] { return true }
        return steps.count < UInt64.bitWidth ? fitsShort(rest) : fitsLong(rest)
    }

    /// Returns true if the steps match all of `text`. It keeps the set of possible next steps in the bits of a word and never
    /// backtracks, so no pattern is slow.
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

    /// Returns a state together with the states that are reached from it without reading a byte.
    private static func reached(_ state: Int, _ steps: UnsafeBufferPointer<Step>) -> UInt64 {
        var (state, states) = (state, UInt64(1) << UInt64(state))
        while state < steps.count, steps[state].mayBeEmpty {
            state += 1
            states |= 1 << UInt64(state)
        }
        return states
    }

    package func mayMatch(startingWith text: [UInt8]) -> Bool {
        guard zip(prefix, text).allSatisfy({ $0 == $1 }) else { return false }
        guard text.count > prefix.count else { return true }
        return text[prefix.count...].withUnsafeBufferPointer { rest in
            let states = states(after: rest)
            return states.entered.contains(true) || states.stayed.contains(true)
        }
    }

    /// Does the same as ``fitsShort(_:)`` for patterns with more steps than fit in a word.
    func fitsLong(_ text: UnsafeBufferPointer<UInt8>) -> Bool { states(after: text).entered[steps.count] }

    /// Returns the possible next steps after `text`: those just entered, and those that continue.
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

    private func spread(_ entered: inout [Bool]) {
        for state in steps.indices where entered[state] && steps[state].mayBeEmpty { entered[state + 1] = true }
    }
}

extension Glob.Step {
    var mayBeEmpty: Bool {
        switch self {
        case .run, .deepRun, .directories: true
        case .byte, .any, .anyByte, .oneOf: false
        }
    }

    /// Returns whether reading a byte stays at this step, and whether it advances to the next one.
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
        // A directory step ends only at the end of a whole component.
        case .directories: return (true, isSlash)
        }
    }
}

extension Glob {
    /// Returns the reason that a pattern cannot match any path in any container, or nil if it can match one.
    package static func problem(ofPath pattern: [UInt8]) -> String? {
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

extension Glob {
    /// Creates a pattern from an argument of the command line, where as in gitignore a pattern without a `/` matches names in every
    /// directory. After `./` it matches only at the top. An argument without wildcards is always a path.
    package init(argument: [UInt8]) throws(CapsuleError) {
        let path = argument.starts(with: "./".utf8) ? Array(argument.dropFirst(2)) : argument
        if let problem = Self.problem(ofPath: path) {
            throw CapsuleError(
                .usage, problem, path: HostPath(argument),
                hint: "write the path as 'capsule ls' prints it; a directory includes everything in it")
        }
        let isName = !argument.contains(RelativePath.slash) && argument.contains(where: Self.special.contains)
        do throws(GlobError) {
            let glob = try Glob((isName ? Array("**/".utf8) : []) + path)
            (pattern, prefix, steps) = (argument, glob.prefix, glob.steps)
        } catch {
            throw CapsuleError(.usage, "not a valid pattern: \(error.message)", path: HostPath(argument))
        }
    }

    package static let argumentHint =
        "a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory"
}

/// An error that reports that bytes are not a valid pattern.
package struct GlobError: Error, Hashable, Sendable {
    package let message: String
}
