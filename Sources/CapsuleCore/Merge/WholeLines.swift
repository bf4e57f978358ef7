/// A text that lines are added to. A line that lacks its line feed, as one from elsewhere may, gets it as soon as more follow: no two
/// lines become one.
struct WholeLines {
    private(set) var bytes: [UInt8] = []

    /// Adds lines; the last one of them may lack its line feed.
    mutating func add(_ lines: some BidirectionalCollection<UInt8>) {
        guard !lines.isEmpty else { return }
        if let last = bytes.last, last != 0x0A { bytes += Self.newline(of: lines) }
        bytes += lines
    }

    /// Gives the last line what it lacks.
    mutating func end(with newline: [UInt8]) {
        bytes += newline
    }

    /// What the first of some lines ends with.
    private static func newline(of lines: some BidirectionalCollection<UInt8>) -> [UInt8] {
        guard let end = lines.firstIndex(of: 0x0A), lines[..<end].last == 0x0D else { return [0x0A] }
        return [0x0D, 0x0A]
    }
}
