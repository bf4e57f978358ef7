package import CapsulePropertyList

extension StringProtocol {
    /// A message of the system or of a library in the style of Capsule's own messages: it begins in lowercase, unless its first
    /// word is a name such as ZIP.
    package var asMessage: String {
        guard let second = dropFirst().first, second == " " || second.isLowercase else { return String(self) }
        return prefix(1).lowercased() + dropFirst()
    }
}

/// The characters that are safe to write to a terminal, and the escapes for others.
package enum TerminalCharacters {
    /// Returns true if a character only displays itself. It is not a control character, does not end a line, and does not
    /// change the direction of text, which could make one line look like another.
    package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: false
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    package static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    package static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\n"): return "\\n"
        case UInt8(ascii: "\r"): return "\\r"
        case UInt8(ascii: "\t"): return "\\t"
        default: return escapedByNumber(byte)
        }
    }

    package static func escapedByNumber(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }
}

/// A name or an argument as it is shown in a message: one line, whatever its bytes.
///
/// Control characters and bytes that are not UTF-8 are shown as `\n`, `\t`, `\xFF`. So are the characters that change the direction of
/// text, which could make a message look like another one. A backslash is not escaped: the text is for reading, not for parsing.
package struct QuotedBytes {
    package let text: String

    package init(_ bytes: [UInt8]) {
        var text = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let scalar = TerminalCharacters.scalar(at: rest) else {
                text += TerminalCharacters.escaped(rest.removeFirst())
                continue
            }
            let width = UTF8.width(scalar)
            if TerminalCharacters.isPlain(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += rest.prefix(width).map(TerminalCharacters.escaped).joined()
            }
            rest = rest.dropFirst(width)
        }
        self.text = text
    }
}

extension Collection<UInt8> {
    /// The bytes as one word of a command in a hint: a shell reads it as these bytes. A character that a message can't show is
    /// written as `$'\x0A'`, which bash and zsh know.
    package var shellWord: String {
        var text = ""
        var rest = Array(self)[...]
        while !rest.isEmpty {
            guard let scalar = TerminalCharacters.scalar(at: rest), TerminalCharacters.isPlain(scalar) else {
                text += "$'\(TerminalCharacters.escapedByNumber(rest.removeFirst()))'"
                continue
            }
            if scalar.isASCII, !scalar.properties.isAlphabetic, !"0123456789_-./:@%+,".unicodeScalars.contains(scalar) {
                text += "\\"
            }
            text.unicodeScalars.append(scalar)
            rest = rest.dropFirst(UTF8.width(scalar))
        }
        return text.isEmpty ? "''" : text
    }
}

extension HostPath {
    /// The path as one word of a command in a hint. It is never read as a flag.
    package var shellWord: String {
        bytes.first == UInt8(ascii: "-") && bytes.count > 1 ? "./" + bytes.shellWord : bytes.shellWord
    }

    /// The hint for a damaged capsule at this path.
    package var verifyHint: String { "'capsule verify \(shellWord)' shows what is intact" }
}

/// Formats numbers for people.
package enum Quantity {
    /// `1,234,567`
    package static func grouped(_ value: UInt64) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `128.4 MB`: powers of 1,000, as in file browsers.
    package static func bytes(_ value: UInt64) -> String {
        if value < 1_000 { return value == 1 ? "1 byte" : "\(value) bytes" }
        var scaled = Double(value) / 1_000
        var unit = 0
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        while scaled >= 999.95, unit + 1 < units.count {
            scaled /= 1_000
            unit += 1
        }
        let tenths = UInt64((scaled * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `12 s`, `3 min 5 s`, `2 h 10 min`
    package static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "unknown time" }
        let whole = UInt64(max(0, seconds).rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }

    /// `99.9 %`: never 100 unless it is complete.
    package static func share(_ share: Double) -> String {
        guard share < 1 else { return "100 %" }
        let tenths = UInt64((max(0, share) * 1_000).rounded(.down))
        return "\(tenths / 10).\(tenths % 10) %"
    }

    package static func counted(_ count: UInt64, _ one: String, _ many: String) -> String {
        "\(grouped(count)) \(count == 1 ? one : many)"
    }

    /// `2 changes`; `at least 2 changes` if there may be more.
    package static func changes(_ count: Int, isExact: Bool) -> String {
        (isExact ? "" : "at least ") + counted(UInt64(count), "change", "changes")
    }
}

/// The words that a misspelled word may stand for.
///
/// A word is suggested if the typed word, of two letters or more, is a prefix of it, or if their distance is at most a third of
/// the typed letters, but at least 1 and at most 3. A letter left out, added, replaced, or swapped with its neighbor counts as
/// one (the Damerau–Levenshtein distance in the form that edits no letter twice).
package struct Suggestions {
    /// The suggested words, at most three: the nearest first, and words of the same distance in alphabetical order.
    package let words: [String]

    /// The longest word, in bytes, that gets suggestions. A longer one is unlikely to be a typing error, and computing its
    /// distance takes time proportional to the square of its length.
    private static let longest = 64

    package init(for typed: String, among candidates: [String]) {
        guard typed.utf8.count <= Self.longest else {
            words = []
            return
        }
        let limit = min(3, max(1, typed.count / 3))
        let near = candidates.compactMap { candidate -> (distance: Int, word: String)? in
            if typed.count >= 2, candidate.hasPrefix(typed) { return (0, candidate) }
            // The difference in length is a lower bound of the distance.
            guard candidate.utf8.count <= Self.longest * 4, abs(candidate.count - typed.count) <= limit else { return nil }
            let distance = Self.distance(Array(typed.lowercased()), Array(candidate.lowercased()))
            return distance <= limit && distance < candidate.count ? (distance, candidate) : nil
        }
        words = near.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(3).map(\.word)
    }

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

    package var hint: String? { Self.hint(for: words) }

    package static func hint(for words: [String]) -> String? {
        words.isEmpty ? nil : "did you mean \(alternatives(words.map { "'\($0)'" }))?"
    }

    /// Returns the words joined as `a, b or c`.
    package static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension PlistError {
    /// The number of keys of a dictionary that are searched for suggestions. A misspelled key is rare in a larger dictionary,
    /// and the search would delay the message.
    private static let mostKeys = 4_096

    /// Returns the error with a hint that suggests keys if it reports a missing key. Returns other errors unchanged.
    package func suggestingKeys(of value: PlistValue, nested: NestedCoding) -> PlistError {
        guard code == .missing, hint == nil, let pointer, let place = try? PlistPointer(pointer), let key = place.last,
            let parent = place.parent, let dictionary = (try? value.value(at: parent, nested: nested))?.dictionary
        else { return self }
        var error = self
        error.hint = Suggestions(for: key.string, among: dictionary.keys.prefix(Self.mostKeys).map(\.string)).hint
        return error
    }
}
