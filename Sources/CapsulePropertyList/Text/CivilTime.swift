/// A moment in UTC in the proleptic Gregorian calendar, as in ISO 8601, without leap seconds. (POSIX.1 section 4.16)
package struct CivilTime: Equatable {
    /// The year. The year 0 precedes the year 1.
    package let year: Int
    /// The month, counted from 1 like the day.
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// The number of days from 0000-03-01, where a 400-year cycle of leap days begins, to 2001-01-01.
    private static let daysTo2001 = 730_791
    /// The number of days from 0000-03-01 to 1970-01-01.
    private static let daysTo1970 = 719_468
    private static let daysOf400Years = 146_097
    private static let secondsOfDay = 86_400
    static let years = 0...9999
    /// The seconds of these years since 2001-01-01T00:00:00Z, from 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    static let secondsOfYears = -63_145_526_400...252_423_993_599

    init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Creates the moment a number of seconds after 2001-01-01T00:00:00Z, the reference date of property lists. Every Int is valid.
    init(secondsSince2001 seconds: Int) {
        self.init(seconds, afterDays: Self.daysTo2001)
    }

    /// Creates the moment a number of seconds after 1970-01-01T00:00:00Z. Every Int is valid.
    package init(secondsSince1970 seconds: Int) {
        self.init(seconds, afterDays: Self.daysTo1970)
    }

    /// Creates the moment a number of seconds after the midnight at the start of the day `epoch` days after 0000-03-01.
    private init(_ seconds: Int, afterDays epoch: Int) {
        let time = Self.modulo(seconds, Self.secondsOfDay)
        // Years are counted from March, so that the leap day is the last day of its year.
        let days = seconds / Self.secondsOfDay - (seconds % Self.secondsOfDay < 0 ? 1 : 0) + epoch
        let dayOfEra = Self.modulo(days, Self.daysOf400Years)
        let era = (days - dayOfEra) / Self.daysOf400Years
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        hour = time / 3600
        minute = time / 60 % 60
        second = time % 60
    }

    /// The seconds since 2001-01-01T00:00:00Z; nil for an invalid day or time, or outside of the years 0 to 9999. Leap seconds are
    /// invalid.
    var secondsSince2001: Int? {
        guard Self.years.contains(year), (1...12).contains(month), (1...Self.daysOf(month, year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        let marchYear = month <= 2 ? year - 1 : year
        let yearOfEra = Self.modulo(marchYear, 400)
        let era = (marchYear - yearOfEra) / 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * Self.daysOf400Years + dayOfEra - Self.daysTo2001
        return days * Self.secondsOfDay + hour * 3600 + minute * 60 + second
    }

    private static func daysOf(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the remainder with the divisor's sign.
    private static func modulo(_ number: Int, _ divisor: Int) -> Int {
        let remainder = number % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

/// Reads and writes dates as text: ISO 8601 in UTC, `2001-01-01T00:00:00Z`, with as many fractional digits as the date has.
package enum DateSpelling {
    private static let wholeBytes = 19

    /// Returns the shortest text that reads back as the same date. Returns nil outside of the years 0 to 9999, for -0.0, and closer
    /// to 2001 than a tenth of a millisecond, where there would be too many digits.
    package static func spell(_ seconds: Double) -> String? {
        guard seconds.isFinite, !(seconds == 0 && seconds.sign == .minus) else { return nil }
        let parts = seconds.magnitude.description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let magnitude = Int(parts[0]) else { return nil }
        guard parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        var fraction = parts[1] == "0" ? [] : Array(parts[1].utf8)
        var whole = magnitude
        if seconds < 0 {
            whole = fraction.isEmpty ? -magnitude : -magnitude - 1
            complement(&fraction)
        }
        guard CivilTime.secondsOfYears.contains(whole) else { return nil }
        let time = CivilTime(secondsSince2001: whole)
        func digits(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(count - number.description.utf8.count, 0)) + number.description
        }
        let date = "\(digits(time.year, 4))-\(digits(time.month, 2))-\(digits(time.day, 2))"
        let clock = "\(digits(time.hour, 2)):\(digits(time.minute, 2)):\(digits(time.second, 2))"
        return "\(date)T\(clock)\(fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))Z"
    }

    /// Returns the seconds since 2001-01-01T00:00:00Z; nil if the text is not such a date.
    package static func read(_ text: UnsafeRawBufferPointer) -> Double? {
        guard text.count > wholeBytes, text[text.count - 1] == UInt8(ascii: "Z") else { return nil }
        let head = Array(text[..<wholeBytes]) + [UInt8(ascii: "Z")]
        guard let seconds = head.withUnsafeBytes({ XMLPlistScalars.date($0) }) else { return nil }
        var fraction = Array(text[wholeBytes..<text.count - 1])
        guard !fraction.isEmpty else { return seconds }
        guard fraction.removeFirst() == UInt8(ascii: "."), !fraction.isEmpty,
            fraction.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        guard !fraction.isEmpty, let whole = Int(exactly: seconds) else { return seconds }
        // Assembled in decimal, so that nothing is rounded twice.
        if whole < 0 { complement(&fraction) }
        let digits = String(decoding: fraction, as: UTF8.self)
        return Double(whole < 0 ? "-\(-(whole + 1)).\(digits)" : "\(whole).\(digits)")
    }

    /// Replaces a decimal fraction by its difference to 1. The last digit must not be 0.
    private static func complement(_ digits: inout [UInt8]) {
        for place in digits.indices {
            let nine = place == digits.count - 1 ? UInt8(10) : 9
            digits[place] = UInt8(ascii: "0") + nine - (digits[place] - UInt8(ascii: "0"))
        }
    }
}
