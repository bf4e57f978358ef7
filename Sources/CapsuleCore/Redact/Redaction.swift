package import CapsulePropertyList

/// Replaces secrets: a text becomes `redacted-N`, with the same number for the same text everywhere, data becomes zeros, and so does a
/// number.
package struct Redaction: Sendable {
    /// The texts and data that are replaced wherever they are. Only they can be proven to be gone.
    package let secrets: SecretMatcher
    /// The shorter texts that the user named. They are replaced in texts only: in data, chance makes short ones.
    private let shortTexts: SecretMatcher
    /// The numbers of the values of both, and of the shorter secrets.
    private let numbers: (secrets: [Int], shortTexts: [Int])
    private let numbersOfTexts: [[UInt8]: Int]
    private let integers: Set<PlistInteger>

    /// Inflates and deflates data, which takes a library that this module doesn't have.
    private let compression: Compression

    package struct Compression: Sendable {
        let inflate: @Sendable ([UInt8]) -> [UInt8]?
        /// Compresses bytes as other data is.
        let deflate: @Sendable (_ bytes: [UInt8], _ like: [UInt8]) -> [UInt8]?

        package init(
            inflate: @escaping @Sendable ([UInt8]) -> [UInt8]?,
            deflate: @escaping @Sendable (_ bytes: [UInt8], _ like: [UInt8]) -> [UInt8]?
        ) {
            self.inflate = inflate
            self.deflate = deflate
        }

        package static let none = Compression(inflate: { _ in nil }, deflate: { _, _ in nil })
    }

    /// The number of different values that are replaced.
    package var count: Int { numbersOfTexts.count }

    /// - Parameter texts: what the user named, which is found in upper and lower case.
    package init(_ texts: [[UInt8]], _ files: [FileSecrets], compression: Compression = .none) {
        self.compression = compression
        var known: [[UInt8]: Int] = [:]
        func number(_ text: [UInt8]) -> Int {
            if let own = known[text] { return own }
            known[text] = known.count + 1
            return known.count
        }
        var (long, short): ([(SecretMatcher.Value, Int)], [(SecretMatcher.Value, Int)]) = ([], [])
        for text in texts where known[text] == nil {
            let own = number(text)
            for value in Self.values(for: text) {
                if text.count >= Secrets.shortest { long.append((value, own)) } else { short.append((value, own)) }
            }
        }
        for file in files {
            for value in file.values where known[value.bytes] == nil { long.append((value, number(value.bytes))) }
            for text in file.texts { _ = number(text) }
        }
        integers = files.reduce(into: Self.integers(spelled: texts)) { $0.formUnion($1.integers) }
        secrets = SecretMatcher(long.map(\.0), integers: integers.filter { $0.description.utf8.count >= Secrets.shortest })
        shortTexts = SecretMatcher(short.map(\.0))
        numbers = (long.map(\.1), short.map(\.1))
        numbersOfTexts = known
    }

    /// Returns what to search for to find a text in upper and lower case, and as names are written. The search itself folds only ASCII letters.
    package static func values(for text: [UInt8]) -> [SecretMatcher.Value] {
        let string = String(decoding: text, as: UTF8.self)
        var (title, isInWord) = ("", false)
        for letter in string {
            title += isInWord ? letter.lowercased() : letter.uppercased()
            isInWord = letter.isLetter
        }
        return Set([string, string.lowercased(), string.uppercased(), title]).sorted()
            .map { SecretMatcher.Value(Array($0.utf8), isText: true, ignoresCase: true) }
    }

    /// Returns the integers that are spelled like texts, with either sign.
    package static func integers(spelled texts: [[UInt8]]) -> Set<PlistInteger> {
        Set(
            texts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
                .flatMap { [$0, 0 &- $0] }.map { PlistInteger($0) })
    }

    /// Returns a text without its secrets; nil if it has none.
    /// - Parameter ranges: the ranges that are secrets in this place only.
    package func text(_ text: [UInt8], _ ranges: [Range<Int>] = []) -> [UInt8]? {
        var found: [(range: Range<Int>, value: [UInt8])] = ranges.map { ($0, placeholder(numbersOfTexts[Array(text[$0])] ?? 0)) }
        text.withUnsafeBytes { bytes in
            found += secrets.matches(in: bytes).map { ($0.range, replacement(for: $0, numbers.secrets[$0.value])) }
            found += shortTexts.matches(in: bytes).map { ($0.range, replacement(for: $0, numbers.shortTexts[$0.value])) }
        }
        if found.isEmpty { return nil }
        found.sort { ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count) }
        var (replaced, end): ([UInt8], Int) = ([], 0)
        for (range, value) in found {
            if range.lowerBound >= end { replaced += text[end..<range.lowerBound] + (number(at: range, in: text) ?? value) }
            end = max(end, range.upperBound)
        }
        return replaced + text[end...]
    }

    /// Returns what replaces the digits of a number of JSON, which stays a number; nil for what is none.
    private func number(at range: Range<Int>, in text: [UInt8]) -> [UInt8]? {
        guard text[range].allSatisfy(\.isDigit) else { return nil }
        func isPart(_ byte: UInt8) -> Bool { byte.isDigit || ".eE+-".utf8.contains(byte) }
        let before = text[..<range.lowerBound].suffix(Self.longestNumber).reversed().drop(while: isPart).first { !$0.isSpace }
        let after = text[range.upperBound...].prefix(Self.longestNumber).drop(while: isPart).first { !$0.isSpace }
        guard let before, let after, ":[,".utf8.contains(before), ",]}".utf8.contains(after) else { return nil }
        let isWhole = !(text[..<range.lowerBound].last?.isDigit ?? false) && !(text[range.upperBound...].first?.isDigit ?? false)
        return [UInt8(ascii: isWhole ? "0" : "1")]
    }

    /// The bytes of a number, and of the space beside it, that are looked at.
    private static let longestNumber = 256

    private func placeholder(_ number: Int) -> [UInt8] { SecretForms.placeholder + Array(String(number).utf8) }

    private func replacement(for match: SecretMatcher.Match, _ number: Int) -> [UInt8] {
        switch match.spelling {
        case .plain, .escaped: placeholder(number)
        case .wide(let isBigEndian):
            (isBigEndian ? TextEncoding.utf16BigEndian : .utf16LittleEndian).bytes(of: placeholder(number), hasMark: false)
        case .base64, .hex: [UInt8](repeating: match.spelling.zero, count: match.range.count)
        }
    }

    /// Returns bytes of the same length, with zeros for secrets; nil if there are none. Data that is one ends with its number, so that
    /// different data stays different.
    package func zeroed(_ bytes: [UInt8]) -> [UInt8]? { zeroed(bytes, bytes.withUnsafeBytes { secrets.matches(in: $0) }) }

    private func zeroed(_ bytes: [UInt8], _ matches: [SecretMatcher.Match]) -> [UInt8]? {
        if matches.isEmpty { return nil }
        var bytes = bytes
        for match in matches {
            for place in match.range { bytes[place] = match.spelling.zero }
            guard match.spelling == .plain, !secrets.isText(match.value) else { continue }
            let number = numbers.secrets[match.value]
            for place in 0..<SecretForms.numberLength {
                bytes[match.range.upperBound - 1 - place] = UInt8(truncatingIfNeeded: number >> (8 * place))
            }
        }
        return bytes
    }

    /// Returns data without its secrets: a property list or a text by its own rules, and other data with zeros; nil if it has none.
    package func data(_ bytes: [UInt8], _ file: FileSecrets = FileSecrets()) throws(CapsuleError) -> [UInt8]? {
        let matches = bytes.withUnsafeBytes { secrets.matches(in: $0) }
        let zeros = zeroed(bytes, matches)
        if matches.first?.range == bytes.indices, matches.first?.spelling == .plain, !secrets.isText(matches[0].value) {
            return zeros
        }
        if bytes.first == 1, let inner = try opened(Array(bytes.dropFirst()), file) { return [1] + inner }
        if let opened = try opened(bytes, file) { return opened }
        if bytes.starts(with: DatabaseUnit.magic) { return nil }
        if !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil { return text(bytes) }
        return zeros.map { wideText(bytes) ?? $0 }
    }

    /// Returns a text in UTF-16 without its secrets, as WebKit's local storage has its values; nil for other data.
    private func wideText(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count % 2 == 0 else { return nil }
        for (encoding, high) in [(TextEncoding.utf16LittleEndian, 1), (.utf16BigEndian, 0)] {
            let units = stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
            }
            guard units.allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }),
                let string = String(validating: units, as: UTF16.self), let redacted = text(Array(string.utf8))
            else { continue }
            return encoding.bytes(of: redacted, hasMark: false)
        }
        return nil
    }

    /// Returns a property list or compressed data without its secrets; nil if it is neither, or has none.
    private func opened(_ bytes: [UInt8], _ file: FileSecrets) throws(CapsuleError) -> [UInt8]? {
        if let document = try document(bytes, file) { return document }
        guard let inner = compression.inflate(bytes) else { return nil }
        // The header of gzip may have a name.
        let redacted = try data(inner, file) ?? (bytes.withUnsafeBytes { secrets.isIn($0) } ? inner : nil)
        return redacted.flatMap { compression.deflate($0, bytes) }
    }

    private func document(_ bytes: [UInt8], _ file: FileSecrets) throws(CapsuleError) -> [UInt8]? {
        guard PlistFormat.isBinaryOrXML(bytes), let document = try? PlistDocument.read(bytes, isLenient: true)
        else { return nil }
        return try self.document(document, file)
    }

    /// Returns a property list without its secrets, with the fewest edits; nil if it has none.
    package func document(_ document: PlistDocument, _ file: FileSecrets) throws(CapsuleError) -> [UInt8]? {
        let value = try DeepThread.run(for: [document.value]) { () throws(CapsuleError) in
            try self.value(document.value, file, name: nil, isArchived: KeyedArchive.isArchive(document.value))
        }
        guard let value else { return nil }
        do throws(PlistError) {
            return try document.bytes(holding: value)
        } catch {
            throw CapsuleError("can't be written without its secrets: \(error.message)")
        }
    }

    /// Returns a value without its secrets; nil if it has none.
    package func value(
        _ value: PlistValue, _ file: FileSecrets, name: String? = nil, isArchived: Bool = false
    ) throws(CapsuleError) -> PlistValue? {
        switch value {
        case .string(let text):
            return self.text(Array(text.utf8), in: file, name: name).map {
                .string(PlistString(String(decoding: $0, as: UTF8.self)))
            }
        case .data(let bytes): return try self.data(bytes, in: file, name: name).map { .data($0) }
        case .integer(let number): return isSecret(number, in: file, name: name) ? 0 : nil
        case .real(let number): return isSecret(number, in: file, name: name) ? .real(0) : nil
        case .array(let elements):
            var replaced: [PlistValue] = []
            for index in elements.indices {
                guard let element = try self.value(elements[index], file, name: nil, isArchived: isArchived) else { continue }
                if replaced.isEmpty { replaced = elements }
                replaced[index] = element
            }
            return replaced.isEmpty ? nil : .array(replaced)
        case .dictionary(let entries): return try dictionary(entries, file, isArchived).map { .dictionary($0) }
        default: return nil
        }
    }

    private func dictionary(
        _ entries: PlistDictionary, _ file: FileSecrets, _ isArchived: Bool
    ) throws(CapsuleError) -> PlistDictionary? {
        var (replaced, isChanged) = (PlistDictionary(), false)
        for (key, value) in entries {
            let newKey = text(Array(key.utf8)).map { PlistString(String(decoding: $0, as: UTF8.self)) }
            let newValue = try self.value(value, file, name: isArchived ? nil : key.string, isArchived: isArchived)
            guard replaced[newKey ?? key] == nil else { throw CapsuleError("two keys of a dictionary would become equal") }
            replaced[newKey ?? key] = newValue ?? value
            isChanged = isChanged || newKey != nil || newValue != nil
        }
        return isChanged ? replaced : nil
    }

    package func text(_ text: [UInt8], in file: FileSecrets, table: String? = nil, name: String?) -> [UInt8]? {
        self.text(text, file.ranges(of: .text(text), table: table, name: name) ?? [])
    }

    package func data(
        _ bytes: [UInt8], in file: FileSecrets, table: String? = nil, name: String?
    ) throws(CapsuleError) -> [UInt8]? {
        if file.ranges(of: .data(bytes), table: table, name: name) != nil { return [UInt8](repeating: 0, count: bytes.count) }
        return try data(bytes, file)
    }

    package func isSecret(_ number: Double, in file: FileSecrets, table: String? = nil, name: String?) -> Bool {
        integers.contains(number) || file.ranges(of: .real(number), table: table, name: name) != nil
    }

    package func isSecret(_ number: PlistInteger, in file: FileSecrets, table: String? = nil, name: String?) -> Bool {
        integers.contains(number) || file.ranges(of: .integer(number), table: table, name: name) != nil
    }
}

extension SecretSpelling {
    /// The byte that replaces each byte of a secret, so that what contains it stays what it is.
    var zero: UInt8 {
        switch self {
        case .plain, .wide, .escaped: 0
        case .base64: SecretForms.base64Digit
        case .hex: UInt8(ascii: "0")
        }
    }
}

extension Set<PlistInteger> {
    /// Returns true for a real number that is an integer of the set, and also for one that has the digits of a long one before its point.
    package func contains(_ number: Double) -> Bool {
        let whole = abs(number) >= 10_000_000 ? number.rounded(.towardZero) : number
        return Int64(exactly: whole).map { contains(PlistInteger($0)) } ?? false
    }
}
