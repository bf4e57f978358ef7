/// Dates as text: ISO 8601 in UTC, `2001-01-01T00:00:00Z`, with as many digits behind the second as the date has.
enum DateSpelling {
    private static let wholeBytes = 19

    /// The shortest text that reads back as the same date; nil outside of the years 0 to 9999, for -0.0, and closer
    /// to 2001 than a tenth of a millisecond, where the digits would not end.
    static func spell(_ seconds: Double) -> String? {
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

    /// The seconds since 2001-01-01T00:00:00Z that the text spells; nil if it is no such text.
    static func read(_ text: UnsafeRawBufferPointer) -> Double? {
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
        // Put together in decimal, so that nothing is rounded twice.
        if whole < 0 { complement(&fraction) }
        let digits = String(decoding: fraction, as: UTF8.self)
        return Double(whole < 0 ? "-\(-(whole + 1)).\(digits)" : "\(whole).\(digits)")
    }

    /// What is missing from a decimal fraction to 1. The last digit must not be 0.
    private static func complement(_ digits: inout [UInt8]) {
        for place in digits.indices {
            let nine = place == digits.count - 1 ? UInt8(10) : 9
            digits[place] = UInt8(ascii: "0") + nine - (digits[place] - UInt8(ascii: "0"))
        }
    }
}
