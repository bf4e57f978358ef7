import CapsulePropertyList
import TestSupport

/// Random property lists.
extension SeededGenerator {
    /// Returns a value that XML can represent, with containers up to the depth.
    mutating func value(depth: Int) -> PlistValue {
        switch UInt8.random(in: 0..<(depth > 0 ? 12 : 8), using: &self) {
        case 0: return .string(string())
        case 1: return .integer(integer())
        case 2: return .real(real())
        case 3: return .boolean(Bool.random(using: &self))
        case 4: return .date(Double(Int.random(in: -63_145_526_400...252_423_993_599, using: &self)))
        case 5: return .data((0..<Int.random(in: 0...200, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case 6: return .uid(next() >> UInt64.random(in: 0..<64, using: &self))
        case 7: return .string(string())
        case 8, 9: return .array((0..<Int.random(in: 0...6, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            let count = Bool.random(using: &self) ? Int.random(in: 0...4, using: &self) : Int.random(in: 0...40, using: &self)
            return .dictionary(PlistDictionary((0..<count).map { _ in (string(), value(depth: depth - 1)) }))
        }
    }

    mutating func integer() -> PlistInteger {
        let bits = next() >> UInt64.random(in: 0..<64, using: &self)
        return Bool.random(using: &self) ? PlistInteger(bits) : PlistInteger(0 &- Int64(bits >> 1))
    }

    mutating func real() -> Double {
        let special: [Double] = [0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1, 0.1]
        if UInt8.random(in: 0..<4, using: &self) == 0 { return special[Int.random(in: 0..<special.count, using: &self)] }
        let any = Double(bitPattern: next())
        return any.isNaN ? .nan : any
    }

    mutating func string() -> PlistString {
        let pieces = [
            "a", "Key", " ", "\t", "\n", "\r", "\r\n", "&", "<", ">", "]]>", "\"", "'", "&amp;", "é", "e\u{301}", "日本", "😀",
            "\u{FFFD}", "\u{85}", "\u{2028}", "\u{1FFFE}", "\u{7F}", "/", "~", "a longer piece of plain text",
        ]
        let count = Int.random(in: 0...8, using: &self)
        return PlistString((0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &self)] }.joined())
    }

    /// Returns any value that binary can represent: reals and dates with any bits, and repeated objects.
    mutating func anyValue(depth: Int) -> PlistValue {
        switch UInt8.random(in: 0..<10, using: &self) {
        case 0: return .real(Double(bitPattern: next()))
        case 1: return .date(Double(bitPattern: next()))
        case 2 where depth > 0:
            let shared = anyValue(depth: depth - 1)
            return [shared, ["again": shared, "and": [shared]], shared]
        case 3...6 where depth > 0:
            return .array((0..<Int.random(in: 0...8, using: &self)).map { _ in anyValue(depth: depth - 1) })
        case 7...8 where depth > 0:
            let count = Int.random(in: 0...20, using: &self)
            return .dictionary(PlistDictionary((0..<count).map { _ in (string(), anyValue(depth: depth - 1)) }))
        default: return value(depth: 0)
        }
    }

    /// Returns a value that other implementations represent without loss: no UIDs, no NaN, no -0.0, dates of whole seconds,
    /// composed strings.
    mutating func plainValue(depth: Int) -> PlistValue {
        switch UInt8.random(in: 0..<(depth > 0 ? 10 : 6), using: &self) {
        case 0: return .string(composedString())
        case 1: return .integer(integer())
        case 2: return .real(Double(Int32(truncatingIfNeeded: next())) + 0.5)
        case 3: return .boolean(Bool.random(using: &self))
        case 4: return .date(Double(Int.random(in: -60_000_000_000...200_000_000_000, using: &self)))
        case 5: return .data((0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case 6, 7: return .array((0..<Int.random(in: 0...6, using: &self)).map { _ in plainValue(depth: depth - 1) })
        default:
            let count = Int.random(in: 0...20, using: &self)
            return .dictionary(PlistDictionary((0..<count).map { _ in (composedString(), plainValue(depth: depth - 1)) }))
        }
    }

    /// Returns a string without combining characters. Foundation's keys are `String` values, for which both forms of é are equal.
    private mutating func composedString() -> PlistString {
        let string = string()
        return string.string.unicodeScalars.contains("\u{301}") ? composedString() : string
    }

    /// Returns a value without equal parts, so that nothing can be shared.
    mutating func distinctValue(depth: Int) -> PlistValue {
        let own = PlistValue.integer(PlistInteger(next() >> 1))
        switch UInt8.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return own
        case 1: return .string(PlistString("\(next())\(composedString())"))
        case 2: return .real(Double(Int64(truncatingIfNeeded: next() >> 2)) + 0.5)
        case 3: return .data(bytes(Int.random(in: 9...40, using: &self)))
        case 4: return .date(Double(Int.random(in: -60_000_000_000...200_000_000_000, using: &self)))
        case 5, 6:
            return .array([own] + (0..<Int.random(in: 0...6, using: &self)).map { _ in distinctValue(depth: depth - 1) })
        default:
            let count = Int.random(in: 1...20, using: &self)
            return .dictionary(
                PlistDictionary((0..<count).map { _ in (PlistString("\(next())"), distinctValue(depth: depth - 1)) }))
        }
    }

    /// Returns an equal value with the keys of its dictionaries in another order, sharing no storage.
    mutating func shuffled(_ value: PlistValue) -> PlistValue {
        switch value {
        case .array(let elements):
            return .array(elements.map { shuffled($0) })
        case .dictionary(let dictionary):
            return .dictionary(PlistDictionary(dictionary.shuffled(using: &self).map { ($0.key, shuffled($0.value)) }))
        default:
            return value
        }
    }

    /// Returns the value with a few parts changed, added, removed or moved.
    mutating func changed(_ value: PlistValue) -> PlistValue {
        switch value {
        case .array(var elements) where !elements.isEmpty:
            let place = Int.random(in: elements.indices, using: &self)
            switch UInt8.random(in: 0..<8, using: &self) {
            case 0: elements.remove(at: place)
            case 1: elements.insert(anyValue(depth: 2), at: place)
            case 2: elements.insert(elements[place], at: 0)
            case 3: elements.reverse()
            default: elements[place] = changed(elements[place])
            }
            return .array(elements)
        case .dictionary(var dictionary) where !dictionary.isEmpty:
            let (key, old) = dictionary[Int.random(in: dictionary.indices, using: &self)]
            switch UInt8.random(in: 0..<8, using: &self) {
            case 0: dictionary[key] = nil
            case 1: dictionary[string()] = anyValue(depth: 2)
            case 2: dictionary[string()] = old
            default: dictionary[key] = changed(old)
            }
            return .dictionary(dictionary)
        default:
            return UInt8.random(in: 0..<4, using: &self) == 0 ? [value] : anyValue(depth: 1)
        }
    }
}
