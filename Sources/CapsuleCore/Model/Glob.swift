/// A pattern over whole tree paths, by bytes: `*` within a component, `**` across `/`, `?`, `[a-z]`, `[!a-z]`, `\` escapes;
/// no braces.
public struct Glob: Hashable, Sendable {
    /// As it was written.
    public let pattern: [UInt8]
    private let steps: [Step]

    private enum Step: Hashable, Sendable {
        case byte(UInt8)
        /// `?`: one byte but `/`.
        case any
        /// `[…]`: one of these ranges, or none of them.
        case oneOf([ClosedRange<UInt8>], negated: Bool)
        /// `*`: any run without `/`.
        case run
        /// `**`: any run.
        case deepRun
        /// `**/`: nothing, or any run that ends in `/`.
        case directories
    }

    /// - Throws: ``GlobError`` for an empty pattern, an open or empty `[`, a range that runs backwards, a trailing `\`.
    public init(_ pattern: [UInt8]) throws(GlobError) {
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
                if end - index == 1 {
                    steps.append(.run)
                } else if opensComponent, end < pattern.count, pattern[end] == RelativePath.slash {
                    steps.append(.directories)
                    end += 1
                } else {
                    steps.append(.deepRun)
                }
                index = end
            case UInt8(ascii: "?"):
                steps.append(.any)
                index += 1
            case UInt8(ascii: "["):
                steps.append(try Self.bracket(in: pattern, at: &index))
            case UInt8(ascii: "\\"):
                guard index + 1 < pattern.count else { throw GlobError(message: "the pattern ends in '\\'") }
                steps.append(.byte(pattern[index + 1]))
                index += 2
            case let byte:
                steps.append(.byte(byte))
                index += 1
            }
        }
        self.steps = steps
    }

    /// Whether the whole of `path` fits.
    public func matches(_ path: RelativePath) -> Bool {
        matches(path.bytes)
    }

    /// Whether the whole of `text` fits; the cost is at most pattern × text.
    public func matches(_ text: [UInt8]) -> Bool {
        // The set of steps that could come next, one row a byte: no backtracking, so no pattern is slow.
        var states = Set<Int>()
        insert(0, into: &states)
        for byte in text {
            if states.isEmpty { return false }
            var next = Set<Int>()
            for state in states where state < steps.count {
                advance(state, over: byte, into: &next)
            }
            states = next
        }
        return states.contains(steps.count)
    }

    private func advance(_ state: Int, over byte: UInt8, into next: inout Set<Int>) {
        let isSlash = byte == RelativePath.slash
        switch steps[state] {
        case .byte(let wanted):
            if byte == wanted { insert(state + 1, into: &next) }
        case .any:
            if !isSlash { insert(state + 1, into: &next) }
        case .oneOf(let ranges, let negated):
            if !isSlash, ranges.contains(where: { $0.contains(byte) }) != negated { insert(state + 1, into: &next) }
        case .run:
            if !isSlash { insert(state, into: &next) }
        case .deepRun:
            insert(state, into: &next)
        case .directories:
            next.insert(state)
            if isSlash { insert(state + 1, into: &next) }
        }
    }

    /// Adds a state and those reached from it without a byte.
    private func insert(_ state: Int, into states: inout Set<Int>) {
        states.insert(state)
        guard state < steps.count else { return }
        switch steps[state] {
        case .run, .deepRun, .directories: insert(state + 1, into: &states)
        case .byte, .any, .oneOf: break
        }
    }

    private static func bracket(in pattern: [UInt8], at index: inout Int) throws(GlobError) -> Step {
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
            guard low <= high else { throw GlobError(message: "a range in '[…]' runs backwards") }
            ranges.append(low...high)
        }
        index = cursor + 1
        return .oneOf(ranges, negated: negated)
    }

    private static func member(in pattern: [UInt8], at cursor: inout Int) throws(GlobError) -> UInt8 {
        if pattern[cursor] == UInt8(ascii: "\\") { cursor += 1 }
        guard cursor < pattern.count else { throw GlobError(message: "'[' is not closed") }
        defer { cursor += 1 }
        return pattern[cursor]
    }
}
