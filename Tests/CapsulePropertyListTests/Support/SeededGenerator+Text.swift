import CapsulePropertyList
import TestSupport

/// Random values that JSON and OpenStep can represent, and random texts of them.
extension SeededGenerator {
    /// Returns a value that JSON can represent.
    mutating func jsonValue(depth: Int) -> PlistValue {
        switch number(0...(depth > 0 ? 9 : 5)) {
        case 0: return .string(anyString())
        case 1: return .integer(integer())
        case 2:
            let real = real()
            return .real(real.isFinite ? real : 0.5)
        case 3: return .boolean(isLucky(oneIn: 2))
        case 4: return .null
        case 5: return .string(anyString())
        case 6, 7: return .array((0..<number(0...6)).map { _ in jsonValue(depth: depth - 1) })
        default:
            let count = number(0...(isLucky(oneIn: 4) ? 40 : 4))
            return .dictionary(PlistDictionary((0..<count).map { _ in (anyString(), jsonValue(depth: depth - 1)) }))
        }
    }

    /// Returns a value that OpenStep can represent.
    mutating func openStepValue(depth: Int) -> PlistValue {
        switch number(0...(depth > 0 ? 7 : 2)) {
        case 0, 1: return .string(anyString())
        case 2: return .data(bytes(number(0...20)))
        case 3, 4: return .array((0..<number(0...6)).map { _ in openStepValue(depth: depth - 1) })
        default:
            let count = number(0...(isLucky(oneIn: 4) ? 40 : 4))
            return .dictionary(PlistDictionary((0..<count).map { _ in (anyString(), openStepValue(depth: depth - 1)) }))
        }
    }

    /// Returns a value of any type, including null, with keys that begin with a dollar sign and dates and reals with any bits.
    mutating func freeValue(depth: Int) -> PlistValue {
        switch number(0...(depth > 0 ? 7 : 4)) {
        case 0: return .real(Double(bitPattern: next()))
        case 1:
            return .date(
                isLucky(oneIn: 2) ? Double(bitPattern: next()) : Double(number(-70_000_000_000...260_000_000_000)) / 1000)
        case 2: return jsonValue(depth: 0)
        case 3: return value(depth: 0)
        case 4: return .uid(next() >> UInt64(number(0...63)))
        case 5: return .array((0..<number(0...6)).map { _ in freeValue(depth: depth - 1) })
        default:
            let keys: [PlistString] = ["$int", "$real", "$date", "$data", "$uid", "$dict", "$", "a$", "bytes", "cut"]
            return .dictionary(
                PlistDictionary(
                    (0..<number(0...4)).map { _ in
                        (isLucky(oneIn: 3) ? pick(keys) : anyString(), freeValue(depth: depth - 1))
                    }))
        }
    }

    /// Returns a string of any characters, including control characters and noncharacters.
    mutating func anyString() -> PlistString {
        switch number(0...3) {
        case 0: return string()
        case 1:
            return pick(["", "a", "key", "CFBundleName", "with-dash", "http://x.y/z", "$(NAME)", "1", "YES", "//", "/*", "é"])
        default:
            var scalars = String.UnicodeScalarView()
            for _ in 0..<number(0...12) {
                let bound: UInt32 = pick([0x20, 0x7F, 0x300, 0xFFFF, 0x10_FFFF])
                scalars.append(Unicode.Scalar(UInt32.random(in: 0...bound, using: &self)) ?? "\u{FFFE}")
            }
            return PlistString(String(scalars))
        }
    }

    // MARK: Spellings

    /// Returns JSON for a value, with blanks wherever they are allowed and some unnecessary escapes.
    mutating func json(_ value: PlistValue) -> String {
        switch value {
        case .string(let string): return jsonString(string)
        case .array(let elements):
            return "[" + blank() + elements.map { json($0) + blank() }.joined(separator: "," + blank()) + "]"
        case .dictionary(let dictionary):
            let entries = dictionary.map { jsonString($0.key) + blank() + ":" + blank() + json($0.value) + blank() }
            return "{" + blank() + entries.joined(separator: "," + blank()) + "}"
        default: return (try? writeJSON(value)) ?? "?"
        }
    }

    private mutating func jsonString(_ string: PlistString) -> String {
        var text = "\""
        for scalar in string.string.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || isLucky(oneIn: 4) {
                for unit in String(scalar).utf16 { text += "\\u" + hexadecimal(UInt32(unit), digits: 4) }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Returns OpenStep text for a value, with blanks and comments wherever they are allowed, in any form of quotes and escapes.
    mutating func openStep(_ value: PlistValue) -> String {
        switch value {
        case .string(let string): return openStepString(string)
        case .data(let bytes):
            let digits = bytes.map { hexadecimal(UInt32($0), digits: 2) + (isLucky(oneIn: 3) ? pick([" ", "\n", "\t"]) : "") }
            return "<" + digits.joined() + ">"
        case .array(let elements):
            let last = elements.isEmpty || isLucky(oneIn: 2) ? "" : "," + comment()
            return "(" + comment() + elements.map { openStep($0) + comment() }.joined(separator: "," + comment()) + last + ")"
        case .dictionary(let dictionary): return "{" + entries(of: dictionary) + "}"
        default: return "?"
        }
    }

    /// Returns a dictionary without its braces.
    mutating func entries(of dictionary: PlistDictionary) -> String {
        var text = comment()
        for (key, value) in dictionary {
            text += openStepString(key) + comment()
            if value == .string(key), isLucky(oneIn: 2) {
                text += ";"
            } else {
                text += "=" + comment() + openStep(value) + comment() + ";"
            }
            text += comment()
        }
        return text
    }

    private mutating func openStepString(_ string: PlistString) -> String {
        let unquoted = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$/:.-".unicodeScalars
        let isPlain = string.string.unicodeScalars.allSatisfy { unquoted.contains($0) }
        let isComment = string.string.hasPrefix("//")
        if isPlain, !isComment, !string.isEmpty, !isLucky(oneIn: 3) { return string.string + " " }
        let quote: Unicode.Scalar = pick(["\"", "'"])
        var text = String(quote)
        for scalar in string.string.unicodeScalars {
            switch scalar {
            case quote, "\\": text += "\\\(scalar)"
            case "\n" where isLucky(oneIn: 2): text += "\\n"
            case "\u{7}" where isLucky(oneIn: 2): text += "\\a"
            case _ where scalar.value == 0 || isLucky(oneIn: 4):
                if scalar.value < 0x80, isLucky(oneIn: 2) {
                    let octal = String(scalar.value, radix: 8)
                    text += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
                } else {
                    for unit in String(scalar).utf16 { text += "\\U" + hexadecimal(UInt32(unit), digits: 4) }
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + String(quote)
    }

    private mutating func blank() -> String {
        isLucky(oneIn: 2) ? "" : pick([" ", "\n", "\t", "\r\n", "  "])
    }

    private mutating func comment() -> String {
        isLucky(oneIn: 2) ? blank() : pick([" ", "/* a \" comment; */", "// another = one;\n", "/**/", " /* é */ ", "\n\n"])
    }

    private mutating func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: isLucky(oneIn: 2))
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}
