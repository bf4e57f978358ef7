/// Cuts long lines for reports.
enum ShownLine {
    /// Characters of a line that are shown.
    static let limit = 4096
    /// Bytes in front of the first difference that are shown of a line that is cut there.
    private static let lead = 256
    private static let mark = "…"
    private static let lineFeed: UInt8 = 0x0A

    /// A line without its line feed, whole if it is short; else a part, from the beginning or, where that is the beginning of the
    /// line that stands for it too, from a bit before where they differ. `…` stands where more is.
    static func text(_ line: ArraySlice<UInt8>, beside other: ArraySlice<UInt8>?) -> (text: String, isCut: Bool) {
        let line = line.last == lineFeed ? line.dropLast() : line
        guard line.count > limit else { return (String(decoding: line, as: UTF8.self), false) }
        var start = line.startIndex
        if let other {
            let common = zip(line, other).prefix { $0 == $1 }.count
            if common > limit / 2 { start += common - lead }
            // Back to where a character begins.
            while start > line.startIndex, line[start] & 0xC0 == 0x80 { start -= 1 }
        }
        var end = start
        var characters = 0
        while end < line.endIndex {
            if line[end] & 0xC0 != 0x80 {
                guard characters < limit else { break }
                characters += 1
            }
            end += 1
        }
        let text = String(decoding: line[start..<end], as: UTF8.self)
        let (isHeadless, isTailless) = (start > line.startIndex, end < line.endIndex)
        return ((isHeadless ? mark : "") + text + (isTailless ? mark : ""), isHeadless || isTailless)
    }
}
