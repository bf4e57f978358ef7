import CapsulePropertyList

/// A point in time: whole seconds since 1970-01-01T00:00:00Z, and the nanoseconds after them.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let seconds: Int64
    /// The nanoseconds from 0 to 999,999,999. They count forward from `seconds`, also before 1970.
    package let nanoseconds: UInt32

    package init?(seconds: Int64, nanoseconds: UInt32) {
        guard nanoseconds < 1_000_000_000 else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package init(seconds: Int64) {
        self.seconds = seconds
        nanoseconds = 0
    }

    package static let epoch = Timestamp(seconds: 0)

    package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.seconds != rhs.seconds ? lhs.seconds < rhs.seconds : lhs.nanoseconds < rhs.nanoseconds
    }
}

extension Timestamp {
    /// The seconds from 1970 to 2001-01-01, the reference date of property lists.
    package static let referenceDateOffset: Int64 = 978_307_200

    /// The time as a property list's date: seconds since 2001-01-01, without the nanoseconds, which XML cannot hold.
    package var plistDate: Double { Double(seconds &- Self.referenceDateOffset) }

    package init?(plistDate: Double) {
        let whole = plistDate.rounded(.down)
        guard whole.isFinite, let since2001 = Int64(exactly: whole) else { return nil }
        let (seconds, overflow) = since2001.addingReportingOverflow(Self.referenceDateOffset)
        if overflow { return nil }
        self.init(seconds: seconds, nanoseconds: UInt32(min((plistDate - whole) * 1e9, 999_999_999)))
    }

    /// Returns the time as ISO 8601 in UTC, as in `2023-11-14T22:13:20Z`, with nine digits of fraction if `fraction` is true.
    package func iso8601(fraction: Bool = false) -> String {
        var text: [UInt8] = []
        appendISO8601(fraction: fraction, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

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
    /// The time as `SECONDS.NNNNNNNNN`: seconds since 1970, negative before, and the nanoseconds after them. For example,
    /// `-1.500000000` is half a second before 1970.
    package var decimal: String {
        var text = Array(String(seconds).utf8)
        text.append(UInt8(ascii: "."))
        text.appendDecimal(UInt64(nanoseconds), width: 9)
        return String(decoding: text, as: UTF8.self)
    }

    package init?(decimal text: String) {
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
    /// Appends a number in decimal digits, with `filler` before it up to `width`, which is at most 32.
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
