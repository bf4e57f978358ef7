import CapsuleCore

/// Parses a text that contains `$(NAME)`.
struct ExpansionParser {
    private let bytes: [UInt8]
    private var at = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    static func parts(of text: String) throws(OverlayError) -> [ExpansionPart] {
        var parser = ExpansionParser(text)
        return try parser.parts(until: nil, depth: 0)
    }

    /// Reads to the end, or to the `:` or the closing delimiter that ends a name or an operator's text.
    private mutating func parts(until closing: UInt8?, depth: Int) throws(OverlayError) -> [ExpansionPart] {
        try Self.checkDepth(depth)
        var parts: [ExpansionPart] = []
        var literal: [UInt8] = []
        while let byte = peek() {
            if let closing, byte == closing || byte == UInt8(ascii: ":") { break }
            guard byte == UInt8(ascii: "$") else {
                literal.append(byte)
                at += 1
                continue
            }
            let start = at
            at += 1
            guard let closing = peek().flatMap(Self.closing) else {
                // `$$` is a `$`; a `$` before anything else stays as it is.
                literal.append(byte)
                if peek() == byte { at += 1 }
                continue
            }
            at += 1
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = []
            parts.append(.reference(try reference(from: start, until: closing, depth: depth + 1)))
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        return parts
    }

    // Recursive functions leave work that needs much stack to other functions, as in ``Expansion``.

    @inline(never)
    private static func checkDepth(_ depth: Int) throws(OverlayError) {
        guard depth <= Expansion.depthLimit else {
            throw OverlayError(.limit, "names are nested more than \(Expansion.depthLimit) deep")
        }
    }

    private mutating func reference(
        from start: Int, until closing: UInt8, depth: Int
    ) throws(OverlayError) -> ExpansionReference {
        let nameStart = at
        let name = try parts(until: closing, depth: depth)
        try checkName(from: nameStart, start)
        var operators: [(operation: ExpansionOperator, operand: [ExpansionPart])] = []
        while peek() == UInt8(ascii: ":") {
            let (operation, takesText) = try operation(from: start, until: closing)
            operators.append((operation, takesText ? try parts(until: closing, depth: depth) : []))
        }
        try close(start, closing)
        return ExpansionReference(spelling: spelling(start), name: name, operators: operators)
    }

    @inline(never)
    private mutating func operation(
        from start: Int, until closing: UInt8
    ) throws(OverlayError) -> (operation: ExpansionOperator, takesText: Bool) {
        at += 1
        let nameStart = at
        while let byte = peek(), byte != UInt8(ascii: ":"), byte != UInt8(ascii: "="), byte != closing { at += 1 }
        guard let end = peek() else { throw unclosed(start) }
        let name = String(decoding: bytes[nameStart..<at], as: UTF8.self)
        let takesText = end == UInt8(ascii: "=")
        guard let operation = ExpansionOperator(name: name, takesText: takesText) else {
            throw unknown(name, takesText, start)
        }
        if takesText { at += 1 }
        return (operation, takesText)
    }

    @inline(never)
    private func checkName(from nameStart: Int, _ start: Int) throws(OverlayError) {
        guard peek() != nil else { throw unclosed(start) }
        guard at > nameStart else { throw malformed("no name in", start) }
    }

    @inline(never)
    private mutating func close(_ start: Int, _ closing: UInt8) throws(OverlayError) {
        guard peek() == closing else { throw unclosed(start) }
        at += 1
    }

    private func peek() -> UInt8? { at < bytes.count ? bytes[at] : nil }

    private static func closing(_ opening: UInt8) -> UInt8? {
        switch opening {
        case UInt8(ascii: "("): UInt8(ascii: ")")
        case UInt8(ascii: "{"): UInt8(ascii: "}")
        default: nil
        }
    }

    /// Returns the text since a `$`, shortened to 64 bytes.
    private func spelling(_ start: Int) -> String {
        let text = String(decoding: bytes[start..<at].prefix(64), as: UTF8.self)
        return "'\(text)\(at - start > 64 ? "…" : "")'"
    }

    private func unclosed(_ start: Int) -> OverlayError {
        let opening = String(decoding: bytes[start..<min(start + 2, bytes.count)], as: UTF8.self)
        return OverlayError(.invalid, "'\(opening)' is not closed in \(spelling(start))", hint: "write '$$' for a literal '$'")
    }

    private func malformed(_ what: String, _ start: Int) -> OverlayError {
        var shown = self
        shown.at = min(at + 1, bytes.count)
        return OverlayError(.invalid, "\(what) \(shown.spelling(start))", hint: "write '$(NAME)', or '$$' for a literal '$'")
    }

    private func unknown(_ name: String, _ takesText: Bool, _ start: Int) -> OverlayError {
        let known = ExpansionOperator.names(takingText: takesText).joined(separator: ", ")
        if let other = ExpansionOperator(name: name, takesText: !takesText) {
            let form = takesText ? "takes no argument" : "needs an argument: '\(other.rawValue)…'"
            return OverlayError(.invalid, "the operator '\(name)' in \(spelling(start)) \(form)")
        }
        return OverlayError(
            .invalid, "unknown operator '\(name)\(takesText ? "=" : "")' in \(spelling(start))",
            hint: "use \(known); an argument after '=' ends at ':'")
    }
}

enum ExpansionPart {
    case literal([UInt8])
    case reference(ExpansionReference)
}

/// A parsed reference, `$(NAME:OPERATOR:OPERATOR=TEXT)`.
struct ExpansionReference {
    let spelling: String
    /// The name, which may contain references itself.
    let name: [ExpansionPart]
    /// The operators in order. An operator that takes no text has an empty operand.
    let operators: [(operation: ExpansionOperator, operand: [ExpansionPart])]
}
