/// A moment on the calendar, in UTC, without leap seconds (POSIX.1 section 4.16).
package struct CivilDate {
    package let year: Int64
    package let month: Int64
    package let day: Int64
    package let hour: Int64
    package let minute: Int64
    package let second: Int64

    /// Every Int64 has a date, so a listing never fails on an odd time.
    package init(secondsSince1970 seconds: Int64) {
        let dayLength: Int64 = 86_400
        var days = seconds / dayLength
        var rest = seconds % dayLength
        if rest < 0 {
            rest += dayLength
            days -= 1
        }
        hour = rest / 3_600
        minute = rest % 3_600 / 60
        second = rest % 60

        // Days are counted from 0000-03-01, so that a leap day is the last of its year and the 400-year era is regular.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// `2023-11-14T22:13:20`
    var iso8601Seconds: String {
        let years = year < 0 ? "-" + Self.padded(-year, 4) : Self.padded(year, 4)
        return "\(years)-\(Self.padded(month, 2))-\(Self.padded(day, 2))T"
            + "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
