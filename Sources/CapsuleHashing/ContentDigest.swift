/// A SHA-256 digest, stored without an allocation.
package struct ContentDigest: Hashable, Sendable {
    package static let byteCount = 32

    /// A digest of all zeros, used where nothing was digested.
    package static let zero = ContentDigest(words: (0, 0, 0, 0))

    private let word0: UInt64
    private let word1: UInt64
    private let word2: UInt64
    private let word3: UInt64

    private init(words: (UInt64, UInt64, UInt64, UInt64)) {
        (word0, word1, word2, word3) = words
    }

    package init?(_ buffer: UnsafeRawBufferPointer) {
        guard buffer.count >= Self.byteCount else { return nil }
        self.init(
            words: (
                buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            ))
    }

    package init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words, fill)
        self.init(words: words)
    }

    package init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(ofDigit: digits[pair]), let low = Self.value(ofDigit: digits[pair + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard let digest = bytes.withUnsafeBytes({ ContentDigest($0) }) else { return nil }
        self = digest
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: (word0, word1, word2, word3), body)
    }

    package func appendHex(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Self.byteCount) { digits in
            withBytes { bytes in
                for index in 0..<Self.byteCount {
                    digits[2 * index] = Self.digit(bytes[index] >> 4)
                    digits[2 * index + 1] = Self.digit(bytes[index] & 15)
                }
            }
            text.append(contentsOf: digits)
        }
    }

    package var hex: String {
        var text: [UInt8] = []
        appendHex(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension ContentDigest: CustomStringConvertible {
    package var description: String { hex }
}
