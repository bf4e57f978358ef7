/// Finds the parts of a name or a text that a program generates: UUIDs, and long hexadecimal and decimal numbers.
package struct GeneratedText {
    package enum Part: Hashable, Sendable {
        case literal([UInt8])
        case uuid
        /// A word of this many hexadecimal digits, eight or more, that are not all decimal.
        case hex(Int)
        /// A run of decimal digits: four or more, or any number of them in a text that has such a run.
        case digits
    }

    package static let uuidLength = 36
    private static let shortestHex = 8
    private static let shortestDigits = 4

    package let parts: [Part]

    /// - Parameter isUUIDOnly: true if numbers are left as literals.
    package init(_ text: [UInt8], isUUIDOnly: Bool = false) {
        var parts: [Part] = []
        var literal: [UInt8] = []
        func add(_ part: Part) {
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = []
            parts.append(part)
        }
        let hasLongNumber = !isUUIDOnly && Self.hasLongNumber(text)
        text.withUnsafeBufferPointer { text in
            var at = 0
            while at < text.count {
                let isWordStart = at == 0 || !Self.isAlphanumeric(text[at - 1])
                if isWordStart, at + Self.uuidLength <= text.count,
                    Self.isUUID(UnsafeBufferPointer(rebasing: text[at..<at + Self.uuidLength]))
                {
                    add(.uuid)
                    at += Self.uuidLength
                    continue
                }
                let word = isWordStart && !isUUIDOnly ? Self.end(of: text, from: at, while: Self.isAlphanumeric) : at
                if word - at >= Self.shortestHex, Self.isHexNumber(text[at..<word]) {
                    add(.hex(word - at))
                    at = word
                    continue
                }
                let number = hasLongNumber ? Self.end(of: text, from: at, while: Self.isDigit) : at
                if number > at {
                    add(.digits)
                    at = number
                } else {
                    literal.append(text[at])
                    at += 1
                }
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    package var isGenerated: Bool { parts.contains { if case .literal = $0 { false } else { true } } }

    /// A pattern that matches this text, and the text that replaces it next time.
    package var glob: [UInt8] {
        parts.flatMap { part in
            switch part {
            case .literal(let text): Glob(literal: text).pattern
            case .uuid: Array("????????-????-????-????-????????????".utf8)
            case .hex(let count): [UInt8](repeating: UInt8(ascii: "?"), count: count)
            case .digits: Array("[0-9]*".utf8)
            }
        }
    }

    /// The same for a step of a pointer, which supports only `*`.
    package var step: String {
        var text: [UInt8] = []
        for part in parts {
            if case .literal(let literal) = part {
                text += Self.nameEscaping(literal)
            } else if text.last != UInt8(ascii: "*") {
                text.append(UInt8(ascii: "*"))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the pattern of a name that only this name matches.
    package static func nameEscaping(_ name: String) -> String { String(decoding: nameEscaping(Array(name.utf8)), as: UTF8.self) }

    private static func nameEscaping(_ name: [UInt8]) -> [UInt8] {
        name.flatMap { isSpecialInName($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    package static func isSpecialInName(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "*") || byte == UInt8(ascii: "\\") }

    package static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == uuidLength else { return false }
        return text.indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: text[index] == UInt8(ascii: "-")
            default: text[index].isHexDigit
            }
        }
    }

    private static func isHexNumber(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        word.allSatisfy(\.isHexDigit) && word.contains(where: isDigit) && !word.allSatisfy(isDigit)
    }

    private static func hasLongNumber(_ text: [UInt8]) -> Bool {
        var run = 0
        for byte in text {
            run = isDigit(byte) ? run + 1 : 0
            if run == shortestDigits { return true }
        }
        return false
    }

    private static func end(
        of text: UnsafeBufferPointer<UInt8>, from start: Int, while isWanted: (UInt8) -> Bool
    ) -> Int {
        text[start...].firstIndex { !isWanted($0) } ?? text.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        // The bytes of letters beyond ASCII are part of a word too.
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
    }
}
