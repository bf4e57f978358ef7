package import CapsulePropertyList

extension StringProtocol {
    /// A message of the system or of a library, begun as messages here are: in lower case, unless it begins with a name, such as ZIP.
    package var asMessage: String {
        guard let second = dropFirst().first, second == " " || second.isLowercase else { return String(self) }
        return prefix(1).lowercased() + dropFirst()
    }
}

/// What a text may have that goes to a terminal, and what stands for the rest.
package enum TerminalCharacters {
    /// Whether a character shows itself and does nothing else: it is no control character, ends no line, and does not turn the
    /// direction of text, which could make a line read as another one.
    package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: false
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    /// The UTF-8 scalar that `bytes` begin with; nil if they begin with none.
    package static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// `\n`, `\r`, `\t`, `\x1B`
    package static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\n"): return "\\n"
        case UInt8(ascii: "\r"): return "\\r"
        case UInt8(ascii: "\t"): return "\\t"
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            return "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}

/// The words that a misspelt one may have been meant for.
///
/// Near is: the typed word begins the other one, or at most a third of its letters are wrong. A letter left out, added,
/// replaced, or swapped with its neighbor counts as one (Damerau and Levenshtein's distance, in the form that touches no
/// letter twice).
package struct Suggestions {
    /// Nearest first, then in alphabetical order; at most three.
    package let words: [String]

    /// A word longer than this is no slip of the fingers, and its distance would cost the square of its length.
    private static let longest = 64

    package init(for typed: String, among candidates: [String]) {
        guard typed.utf8.count <= Self.longest else {
            words = []
            return
        }
        let limit = min(3, max(1, typed.count / 3))
        let near = candidates.compactMap { candidate -> (distance: Int, word: String)? in
            if typed.count >= 2, candidate.hasPrefix(typed) { return (0, candidate) }
            // Each letter too many or too few is wrong.
            guard candidate.utf8.count <= Self.longest * 4, abs(candidate.count - typed.count) <= limit else { return nil }
            let distance = Self.distance(Array(typed.lowercased()), Array(candidate.lowercased()))
            return distance <= limit && distance < candidate.count ? (distance, candidate) : nil
        }
        words = near.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(3).map(\.word)
    }

    /// How many letters differ.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }

    /// `did you mean 'a' or 'b'?`, or nil if nothing is near.
    package var hint: String? { Self.hint(for: words) }

    /// The same of words that are known already.
    package static func hint(for words: [String]) -> String? {
        words.isEmpty ? nil : "did you mean \(alternatives(words.map { "'\($0)'" }))?"
    }

    /// `a, b or c`
    package static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension PlistError {
    /// Keys of a dictionary that are looked at: in a larger one a slip is rare, and nobody waits for a hint.
    private static let mostKeys = 4_096

    /// The same error; with a hint at the keys that may have been meant, if a key is missing that was misspelt.
    ///
    /// - Parameters:
    ///   - value: what the error's pointer is a place of.
    ///   - nested: how the pointer was followed into data.
    package func suggestingKeys(of value: PlistValue, nested: NestedCoding) -> PlistError {
        guard code == .missing, hint == nil, let pointer, let place = try? PlistPointer(pointer), let key = place.last,
            let parent = place.parent, let dictionary = (try? value.value(at: parent, nested: nested))?.dictionary
        else { return self }
        var error = self
        error.hint = Suggestions(for: key.string, among: dictionary.keys.prefix(Self.mostKeys).map(\.string)).hint
        return error
    }
}
