import CapsulePropertyList

/// A moment on the calendar, in UTC, as listings and archives count it: from 1970. ``CivilTime`` is the calendar.
package struct CivilDate {
    private let time: CivilTime

    /// Every Int64 has a date, so a listing never fails on an odd time.
    package init(secondsSince1970 seconds: Int64) {
        time = CivilTime(secondsSince1970: Int(seconds))
    }

    package var year: Int { time.year }
    package var month: Int { time.month }
    package var day: Int { time.day }
    package var hour: Int { time.hour }
    package var minute: Int { time.minute }
    package var second: Int { time.second }

    /// `2023-11-14T22:13:20`
    var iso8601Seconds: String {
        let years = year < 0 ? "-" + Self.padded(-year, 4) : Self.padded(year, 4)
        return "\(years)-\(Self.padded(month, 2))-\(Self.padded(day, 2))T"
            + "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
