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
