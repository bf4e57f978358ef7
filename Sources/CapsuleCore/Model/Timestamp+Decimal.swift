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
