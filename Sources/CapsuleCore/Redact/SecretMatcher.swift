package import CapsulePropertyList

/// Finds known values in bytes, in all spellings of each (``SecretSpelling``), in one pass.
package struct SecretMatcher: Sendable {
    package struct Value: Hashable, Sendable {
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

    /// The integers that are secrets as such, and not only as texts.
    private let integers: Set<PlistInteger>
    /// The length of the longest needle.
    package private(set) var longest = 0
    private var needles: [Needle] = []
    private let texts: [Bool]
    /// The lengths of the needles by their folded beginning, and their numbers by the digest of all their folded bytes: thousands of
    /// tokens may begin alike.
    private var lengths: [UInt64: [Int]] = [:]
    private var numbers: [UInt64: [Int]] = [:]
    private var starts: BitFilter
    /// The parts of four bytes of the beginnings, of which one is at each fifth place of the bytes that have a needle.
    private var parts: BitFilter
    /// The bits of the bytes of a beginning.
    private var mask = UInt64.max
    private var startLength = 8

    /// - Parameter values: values of at least one byte. The search is fast if none is shorter than eight.
    package init(_ values: [Value], integers: Set<PlistInteger> = []) {
        self.integers = integers
        texts = values.map(\.isText)
        startLength = max(1, min(8, values.map(\.bytes.count).min() ?? 8))
        mask = startLength == 8 ? .max : (1 << (8 * UInt64(startLength))) - 1
        starts = BitFilter(values.count * Self.typicalSpellings)
        parts = BitFilter(values.count * Self.typicalSpellings * Self.stride)
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

    /// True if a value is found in letters of either case that are no ASCII letters.
    package var ignoresOtherCases: Bool {
        needles.contains { $0.ignoresCase && $0.spelling == .plain && !$0.bytes.allSatisfy { $0 < 0x80 } }
    }

    /// Returns true for a number that is a secret.
    package func isSecret(_ number: PlistInteger) -> Bool { integers.contains(number) }

    package func isSecret(_ number: Double) -> Bool { integers.contains(number) }

    private mutating func add(_ needle: Needle) {
        let start = needle.bytes.withUnsafeBytes { Self.word($0, at: 0) } & mask | Self.fold & mask
        if lengths[start]?.contains(needle.bytes.count) != true { lengths[start, default: []].append(needle.bytes.count) }
        numbers[needle.bytes.withUnsafeBytes { Self.digest($0) }, default: []].append(needles.count)
        starts.insert(start)
        for place in 0..<Self.stride { parts.insert(start >> (8 * UInt64(place)) & Self.part) }
        needles.append(needle)
        longest = max(longest, needle.bytes.count)
    }

    private static let fold: UInt64 = 0x2020_2020_2020_2020

    /// The places of a beginning of eight bytes at which a part of four begins.
    private static let stride = 5
    private static let part: UInt64 = 0xFFFF_FFFF
    private static let typicalSpellings = 16
    private static let longestOverlap = 1_024

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
        let end = bytes.count - startLength + 1
        guard !needles.isEmpty, end > 0 else { return }
        var first = 0
        guard startLength == 8 else {
            _ = forEach(in: bytes, at: 0..<end, from: &first, take)
            return
        }
        parts.withUnsafeBits { parts in
            for place in Swift.stride(from: 0, to: end + Self.stride - 1, by: Self.stride) {
                let part = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
                guard parts.mayHave(UInt64(part) | Self.fold & Self.part) else { continue }
                if !forEach(in: bytes, at: max(0, place - Self.stride + 1)..<min(end, place + 1), from: &first, take) { return }
            }
        }
    }

    /// - Parameter first: the place before which nothing is searched.
    /// - Returns: false if `take` returned it.
    private func forEach(
        in bytes: UnsafeRawBufferPointer, at places: Range<Int>, from first: inout Int, _ take: (Match) -> Bool
    ) -> Bool {
        starts.withUnsafeBits { starts in
            for place in places where place >= first {
                let start = Self.word(bytes, at: place) & mask | Self.fold & mask
                guard starts.mayHave(start), let lengths = lengths[start] else { continue }
                for length in lengths where length <= bytes.count - place {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[place..<place + length])
                    guard let match = match(part, at: place) else { continue }
                    if !take(match) { return false }
                    // A long text that repeats itself would match at each repetition.
                    first = max(first, match.range.upperBound - Self.longestOverlap)
                }
            }
            return true
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
        var digest = UInt64(bytes.count)
        for place in Swift.stride(from: 0, to: bytes.count, by: 8) {
            let mixed = (digest ^ (word(bytes, at: place) | fold)) &* 0x9E37_79B9_7F4A_7C15
            digest = mixed ^ mixed >> 32
        }
        return digest
    }
}

/// A set of numbers that never misses one of its own, and sometimes takes another for one (a Bloom filter with one hash).
private struct BitFilter: Sendable {
    private var words: [UInt64]
    private let shift: UInt64

    /// - Parameter count: the number of values; with more of them, the filter only says more often that it has others.
    init(_ count: Int) {
        let bits = max(16, min(22, Int.bitWidth - (count * 16).leadingZeroBitCount))
        words = [UInt64](repeating: 0, count: 1 << (bits - 6))
        shift = UInt64(64 - bits)
    }

    private static func bit(_ value: UInt64, _ shift: UInt64) -> Int { Int((value &* 0x9E37_79B9_7F4A_7C15) >> shift) }

    mutating func insert(_ value: UInt64) {
        let bit = Self.bit(value, shift)
        words[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    func withUnsafeBits<Result>(_ body: (Bits) -> Result) -> Result {
        words.withUnsafeBufferPointer { body(Bits(words: $0, shift: shift)) }
    }

    struct Bits {
        let words: UnsafeBufferPointer<UInt64>
        let shift: UInt64

        func mayHave(_ value: UInt64) -> Bool {
            let bit = BitFilter.bit(value, shift)
            return words[bit >> 6] >> UInt64(bit & 63) & 1 != 0
        }
    }
}
