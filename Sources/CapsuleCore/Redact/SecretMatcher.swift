/// Finds known values in bytes, in all spellings of each (``SecretSpelling``), in one pass.
package struct SecretMatcher: Sendable {
    package struct Value: Sendable {
        package let bytes: [UInt8]
        package let isText: Bool
        /// True if ASCII letters match in either case.
        package let ignoresCase: Bool

        package init(_ bytes: [UInt8], isText: Bool, ignoresCase: Bool = false) {
            self.bytes = bytes
            self.isText = isText
            self.ignoresCase = ignoresCase
        }
    }

    struct Match {
        var range: Range<Int>
        /// The number of the value.
        var value: Int
        var spelling: SecretSpelling
    }

    private struct Needle: Sendable {
        let bytes: [UInt8]
        let ignoresCase: Bool
        let spelling: SecretSpelling
        let value: Int
    }

    /// The length of the longest needle.
    package private(set) var longest = 0
    private var needles: [Needle] = []
    private let texts: [Bool]
    /// The lengths of the needles by their folded beginning, and their numbers by the digest of all their folded bytes: thousands of
    /// tokens may begin alike.
    private var lengths: [UInt64: [Int]] = [:]
    private var numbers: [UInt64: [Int]] = [:]
    /// A bit for the hash of each beginning.
    private var filter = [UInt64](repeating: 0, count: 1 << 10)
    /// The bits of the bytes of a beginning.
    private var mask = UInt64.max
    private var startLength = 8

    /// - Parameter values: values of at least one byte. The search is fast if none is shorter than eight.
    package init(_ values: [Value]) {
        texts = values.map(\.isText)
        startLength = max(1, min(8, values.map(\.bytes.count).min() ?? 8))
        mask = startLength == 8 ? .max : (1 << (8 * UInt64(startLength))) - 1
        for (number, value) in values.enumerated() {
            // The few characters that others share with a short value in Base64 or as digits say nothing.
            let isShort = value.bytes.count < Secrets.shortest
            for (spelling, bytes) in SecretSpelling.all(of: value.bytes, isText: value.isText) {
                if isShort, spelling == .base64 || spelling == .hex { continue }
                let folds = value.ignoresCase && spelling != .base64 || spelling == .hex || spelling == .escaped
                add(Needle(bytes: folds ? bytes.map(Self.folded) : bytes, ignoresCase: folds, spelling: spelling, value: number))
            }
        }
    }

    /// Returns true if a value is a text, and not data.
    func isText(_ value: Int) -> Bool { texts[value] }

    package var isEmpty: Bool { needles.isEmpty }

    private mutating func add(_ needle: Needle) {
        let start = needle.bytes.withUnsafeBytes { Self.word($0, at: 0) } & mask | Self.fold & mask
        if lengths[start]?.contains(needle.bytes.count) != true { lengths[start, default: []].append(needle.bytes.count) }
        numbers[needle.bytes.withUnsafeBytes { Self.digest($0) }, default: []].append(needles.count)
        let bit = Self.hash(start)
        filter[bit >> 6] |= 1 << UInt64(bit & 63)
        needles.append(needle)
        longest = max(longest, needle.bytes.count)
    }

    private static let fold: UInt64 = 0x2020_2020_2020_2020

    private static func hash(_ start: UInt64) -> Int { Int((start &* 0x9E37_79B9_7F4A_7C15) >> 48) }

    /// Returns up to eight bytes, the first one lowest.
    private static func word(_ bytes: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
        if place + 8 <= bytes.count { return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        return bytes[place...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { byte.isUppercase ? byte | 0x20 : byte }

    /// Returns true if a value is in the bytes.
    package func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isFound = false
        forEach(in: bytes) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    package func isIn(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isIn($0) } }

    /// Returns what is found, in order. Values that overlap are one match, with the number of the longest.
    func matches(in bytes: UnsafeRawBufferPointer) -> [Match] {
        var found: [Match] = []
        forEach(in: bytes) { match in
            guard let last = found.last, match.range.lowerBound < last.range.upperBound else {
                found.append(match)
                return true
            }
            let isLonger = match.range.count > last.range.count
            let range = last.range.lowerBound..<max(last.range.upperBound, match.range.upperBound)
            if isLonger { found[found.count - 1] = match }
            found[found.count - 1].range = range
            return true
        }
        return found
    }

    /// Calls `take` with each match, by its start, until it returns false.
    private func forEach(in bytes: UnsafeRawBufferPointer, _ take: (Match) -> Bool) {
        guard !needles.isEmpty, bytes.count >= startLength else { return }
        filter.withUnsafeBufferPointer { filter in
            let (mask, fold) = (mask, Self.fold & mask)
            // All but the last few places have eight bytes, which can be read at once.
            let wide = bytes.count - 8
            var place = 0
            while place <= bytes.count - startLength {
                let word =
                    place <= wide
                    ? UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    : Self.word(bytes, at: place)
                let start = word & mask | fold
                let bit = Self.hash(start)
                if filter[bit >> 6] >> UInt64(bit & 63) & 1 != 0, let lengths = lengths[start] {
                    for length in lengths where length <= bytes.count - place {
                        let part = UnsafeRawBufferPointer(rebasing: bytes[place..<place + length])
                        if let match = match(part, at: place), !take(match) { return }
                    }
                }
                place += 1
            }
        }
    }

    private func match(_ part: UnsafeRawBufferPointer, at place: Int) -> Match? {
        guard let number = numbers[Self.digest(part)]?.first(where: { isEqual(needles[$0], part) }) else { return nil }
        return Match(range: place..<place + part.count, value: needles[number].value, spelling: needles[number].spelling)
    }

    private func isEqual(_ needle: Needle, _ part: UnsafeRawBufferPointer) -> Bool {
        guard needle.bytes.count == part.count else { return false }
        if !needle.ignoresCase { return part.elementsEqual(needle.bytes) }
        return needle.bytes.indices.allSatisfy { Self.folded(part[$0]) == needle.bytes[$0] }
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(UInt64(bytes.count)) { ($0 ^ UInt64($1 | 0x20)) &* 0x9E37_79B9_7F4A_7C15 }
    }
}
