import CapsulePropertyList

/// A moment: whole seconds since 1970-01-01T00:00:00Z, and nanoseconds after them.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Before 1970 they are negative.
    public let seconds: Int64
    /// 0 to 999,999,999; time goes on from `seconds`, also before 1970.
    public let nanoseconds: UInt32

    /// - Returns: nil for a billion nanoseconds and over.
    public init?(seconds: Int64, nanoseconds: UInt32) {
        guard nanoseconds < 1_000_000_000 else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// A whole second.
    public init(seconds: Int64) {
        self.seconds = seconds
        nanoseconds = 0
    }

    /// The beginning of 1970.
    public static let epoch = Timestamp(seconds: 0)

    /// The earlier first.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.seconds != rhs.seconds ? lhs.seconds < rhs.seconds : lhs.nanoseconds < rhs.nanoseconds
    }
}

extension Timestamp {
    /// Seconds from 1970 to 2001-01-01, where property lists count from.
    public static let referenceDateOffset: Int64 = 978_307_200

    /// The moment as a property list's date: seconds since 2001-01-01, without the nanoseconds that XML cannot hold.
    public var plistDate: Double { Double(seconds &- Self.referenceDateOffset) }

    /// The moment of a property list's date; nil beyond what fits.
    public init?(plistDate: Double) {
        let whole = plistDate.rounded(.down)
        guard whole.isFinite, let since2001 = Int64(exactly: whole) else { return nil }
        let (seconds, overflow) = since2001.addingReportingOverflow(Self.referenceDateOffset)
        if overflow { return nil }
        self.init(seconds: seconds, nanoseconds: UInt32(min((plistDate - whole) * 1e9, 999_999_999)))
    }

    /// ISO 8601 in UTC, `2023-11-14T22:13:20Z`, with nine digits of fraction if asked for.
    public func iso8601(fraction: Bool = false) -> String {
        var text: [UInt8] = []
        appendISO8601(fraction: fraction, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends what ``iso8601(fraction:)`` says.
    package func appendISO8601(fraction: Bool = false, to text: inout [UInt8]) {
        let time = CivilTime(secondsSince1970: Int(seconds))
        if time.year < 0 { text.append(UInt8(ascii: "-")) }
        text.appendDecimal(UInt64(time.year.magnitude), width: 4)
        func append(_ mark: Unicode.Scalar, _ value: Int) {
            text.append(UInt8(ascii: mark))
            text.appendDecimal(UInt64(value), width: 2)
        }
        append("-", time.month)
        append("-", time.day)
        append("T", time.hour)
        append(":", time.minute)
        append(":", time.second)
        if fraction {
            text.append(UInt8(ascii: "."))
            text.appendDecimal(UInt64(nanoseconds), width: 9)
        }
        text.append(UInt8(ascii: "Z"))
    }
}

extension Timestamp {
    /// `SECONDS.NNNNNNNNN`: seconds since 1970, negative before, and the nanoseconds after them; `-1.500000000` is half a second
    /// before 1970.
    public var decimal: String {
        var text = Array(String(seconds).utf8)
        text.append(UInt8(ascii: "."))
        text.appendDecimal(UInt64(nanoseconds), width: 9)
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what ``decimal`` writes; nil for anything else.
    public init?(decimal text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        func isNumber(_ digits: Substring.UTF8View) -> Bool {
            !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard parts.count == 2, parts[1].count == 9, isNumber(parts[1]), let nanoseconds = UInt32(Substring(parts[1])) else {
            return nil
        }
        guard isNumber(parts[0].first == UInt8(ascii: "-") ? parts[0].dropFirst() : parts[0]),
            let seconds = Int64(Substring(parts[0]))
        else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }
}

extension [UInt8] {
    /// Appends a number in decimal digits, `filler` before it up to `width`, which is at most 32.
    package mutating func appendDecimal(_ value: UInt64, width: Int = 1, filler: UInt8 = UInt8(ascii: "0")) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
            var place = digits.count
            var rest = value
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            while place > Swift.max(0, digits.count - width) {
                place -= 1
                digits[place] = filler
            }
            append(contentsOf: digits[place...])
        }
    }
}
