/// Xcode's string catalogs: what is known of their layout.
package enum StringCatalog {
    package static let sourceLanguage: PlistString = "sourceLanguage"
    package static let strings: PlistString = "strings"

    package static func isCatalog(_ value: PlistValue) -> Bool {
        guard let root = value.dictionary, root[sourceLanguage]?.string != nil else { return false }
        return root[strings]?.dictionary != nil
    }

    /// Returns true if a pointer's steps lead to a unit: a text with its state, which says something about this text only.
    package static func isUnit(_ steps: [PlistString]) -> Bool {
        steps.count > 4 && steps[0] == strings && steps.last == "stringUnit"
    }

    /// Returns true if Xcode writes a key before another one. The order is that of `localizedStandardCompare` in English: spaces,
    /// punctuation, symbols, numbers by value, letters; then accents; then case, small letters first.
    package static func precedes(_ key: PlistString, _ other: PlistString) -> Bool {
        let (left, right) = (SortKey(key.string), SortKey(other.string))
        for level in [\SortKey.base, \.accents, \.cases] where left[keyPath: level] != right[keyPath: level] {
            return left[keyPath: level].lexicographicallyPrecedes(right[keyPath: level])
        }
        return key.string.unicodeScalars.lexicographicallyPrecedes(other.string.unicodeScalars)
    }

    /// A key at the three levels of the Unicode collation algorithm (UTS #10). The root collation's order of signs is a table.
    private struct SortKey {
        var base: [UInt64] = []
        var accents: [UInt64] = []
        var cases: [UInt64] = []

        private static let signs = "\t\n\r _-–—,;:!¡?¿.…·'‘’\"“”«»()[]{}§¶@*/\\&#%•`^°©®+±÷×<=>|~→∞"
        private static let signRanks = Dictionary(
            signs.unicodeScalars.enumerated().map { ($0.element, UInt64($0.offset)) }, uniquingKeysWith: { first, _ in first })

        /// The classes of characters, in order.
        private enum Class: UInt64 {
            case sign, symbol, currency, number, letter
        }

        init(_ text: String) {
            var digits: [UInt64] = []
            for scalar in text.unicodeScalars {
                if let digit = Self.digit(scalar) {
                    digits.append(digit)
                    continue
                }
                add(number: &digits)
                add(scalar)
            }
            add(number: &digits)
        }

        private static func digit(_ scalar: Unicode.Scalar) -> UInt64? {
            ("0"..."9").contains(scalar) ? UInt64(scalar.value - 0x30) : nil
        }

        /// A longer number is a larger one, without zeros before it.
        private mutating func add(number digits: inout [UInt64]) {
            if digits.isEmpty { return }
            let value = digits.drop { $0 == 0 }
            add(.number, UInt64(value.count))
            for digit in value { add(.sign, digit) }
            digits.removeAll()
        }

        private mutating func add(_ sort: Class, _ rank: UInt64, accent: UInt64 = 0, isCapital: Bool = false) {
            base.append(sort.rawValue << 32 | rank)
            accents.append(accent)
            cases.append(isCapital ? 1 : 0)
        }

        private mutating func add(_ scalar: Unicode.Scalar) {
            let facts = scalar.properties
            if facts.canonicalCombiningClass != .notReordered || scalar == "\u{FE0F}" || scalar == "\u{200D}" {
                if let last = accents.indices.last { accents[last] = UInt64(scalar.value) }
                return
            }
            if let rank = Self.signRanks[scalar] { return add(.sign, rank) }
            let value = UInt64(scalar.value)
            switch facts.generalCategory {
            case .currencySymbol: add(.currency, value)
            case .mathSymbol, .modifierSymbol, .otherSymbol: add(.symbol, value)
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: add(letter: scalar)
            default: add(.sign, UInt64(Self.signs.unicodeScalars.count) + value)
            }
        }

        private mutating func add(letter: Unicode.Scalar) {
            let facts = letter.properties
            let small = facts.lowercaseMapping
            let isCapital = small != String(letter)
            if let plain = Self.plain(letter) {
                return add(.letter, UInt64(plain), accent: letter.isASCII ? 0 : UInt64(letter.value), isCapital: isCapital)
            }
            for scalar in small.unicodeScalars { add(.letter, UInt64(scalar.value), isCapital: isCapital) }
        }

        /// Returns the small letter of ASCII in a Latin letter, such as `a` for `Ä`, which its name tells.
        private static func plain(_ letter: Unicode.Scalar) -> UInt32? {
            if letter.isASCII { return letter.value | 0x20 }
            guard let name = letter.properties.name, name.hasPrefix("LATIN ") else { return nil }
            let words = name.split(separator: " ")
            guard let with = words.firstIndex(of: "WITH"), with > 0, words[with - 1].utf8.count == 1,
                let base = words[with - 1].unicodeScalars.first
            else { return nil }
            return base.value | 0x20
        }
    }
}
