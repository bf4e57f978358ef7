/// Numbers for lines: the same for lines of the same bytes.
struct LineNumbers {
    private struct Line: Hashable {
        let bytes: ArraySlice<UInt8>

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private var known: [Line: Int] = [:]

    /// The number of each line of a text.
    mutating func numbers(of text: TextContent) -> [Int] {
        (0..<text.lineCount).map { number in
            let line = Line(bytes: text.line(number))
            if let known = known[line] { return known }
            known[line] = known.count
            return known.count - 1
        }
    }
}
