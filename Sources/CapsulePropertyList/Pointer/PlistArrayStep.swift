/// What one step of a pointer asks for on an array.
enum PlistArrayStep: Hashable {
    case index(Int)
    /// `-`: behind the last element.
    case end
    /// `[KEY=VALUE]`, or `[=VALUE]` without a key.
    case selector(key: PlistString?, value: PlistString)

    /// Reads a step.
    ///
    /// - Returns: nil for anything else, and for an index that is too large or has a leading zero (RFC 6901, section 4).
    init?(_ step: PlistString) {
        let bytes = Array(step.utf8)
        if bytes == [UInt8(ascii: "-")] {
            self = .end
        } else if let first = bytes.first, first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"),
            let equal = bytes.firstIndex(of: UInt8(ascii: "="))
        {
            let text = { (bytes: ArraySlice<UInt8>) in PlistString(String(decoding: bytes, as: UTF8.self)) }
            let key = bytes[1..<equal]
            self = .selector(key: key.isEmpty ? nil : text(key), value: text(bytes[(equal + 1)..<(bytes.count - 1)]))
        } else {
            guard let first = bytes.first, bytes.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
                first != UInt8(ascii: "0") || bytes.count == 1, let index = Int(step.string)
            else { return nil }
            self = .index(index)
        }
    }

    /// Where it leads in an array: to an element, or to its end.
    ///
    /// - Throws: `missing` or `ambiguous`.
    func place(in elements: [PlistValue]) throws(PlistError) -> Int {
        switch self {
        case .end:
            return elements.count
        case .index(let index):
            guard index <= elements.count else {
                throw PlistError(
                    .missing, "the array has no index \(index): it has \(Self.counted(elements.count))")
            }
            return index
        case .selector(let key, let value):
            let found = elements.indices.filter { Self.matches(elements[$0], key, value) }
            guard let first = found.first else {
                let hint = Self.known(key, in: elements)
                throw PlistError(.missing, "no element of the array has \(Self.described(key, value))", hint: hint)
            }
            guard found.count == 1 else {
                let list = found.prefix(8).map(String.init).joined(separator: ", ")
                throw PlistError(
                    .ambiguous, "\(found.count) elements of the array have \(Self.described(key, value)): \(list)",
                    hint: "choose one by its index")
            }
            return first
        }
    }

    private static func matches(_ element: PlistValue, _ key: PlistString?, _ text: PlistString) -> Bool {
        var scalar = element
        if let key {
            guard let found = element.dictionary?[key] else { return false }
            scalar = found
        }
        return scalar.selectorText == text
    }

    private static func described(_ key: PlistString?, _ value: PlistString) -> String {
        key.map { "\($0.quoted) = \(value.quoted)" } ?? "the value \(value.quoted)"
    }

    private static func counted(_ count: Int) -> String { count == 1 ? "1 element" : "\(count) elements" }

    /// What could have been meant.
    private static func known(_ key: PlistString?, in elements: [PlistValue]) -> String? {
        let texts = elements.lazy.compactMap { element in
            (key == nil ? element : key.flatMap { element.dictionary?[$0] })?.selectorText?.quoted
        }.prefix(5)
        return texts.isEmpty ? nil : "the array has " + texts.joined(separator: ", ")
    }
}

extension PlistValue {
    /// What `[=VALUE]` compares with: strings, and integers and booleans by their text.
    package var selectorText: PlistString? {
        switch self {
        case .string(let string): string
        case .integer(let integer): PlistString(integer.description)
        case .boolean(let boolean): boolean ? "true" : "false"
        default: nil
        }
    }
}
