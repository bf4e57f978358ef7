/// Numbers for people.
enum Quantity {
    /// `1,234,567`
    static func grouped(_ value: UInt64) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `128.4 MB`: powers of 1,000, as file browsers count.
    static func bytes(_ value: UInt64) -> String {
        if value < 1_000 { return value == 1 ? "1 byte" : "\(value) bytes" }
        var scaled = Double(value) / 1_000
        var unit = 0
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        while scaled >= 999.95, unit + 1 < units.count {
            scaled /= 1_000
            unit += 1
        }
        let tenths = UInt64((scaled * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `12 s`, `3 min 5 s`, `2 h 10 min`
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "unknown time" }
        let whole = UInt64(max(0, seconds).rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }

    /// `99.9 %`: never 100 for less than all.
    static func share(_ share: Double) -> String {
        guard share < 1 else { return "100 %" }
        let tenths = UInt64((max(0, share) * 1_000).rounded(.down))
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// `1 entry`, `2 entries`
    static func counted(_ count: UInt64, _ one: String, _ many: String) -> String {
        "\(grouped(count)) \(count == 1 ? one : many)"
    }

    /// `2 changes`; `at least 2 changes` where there may be more.
    static func changes(_ count: Int, isExact: Bool) -> String {
        (isExact ? "" : "at least ") + counted(UInt64(count), "change", "changes")
    }
}
