import CapsuleCore

/// Cuts the reading of many files into jobs: small files together with those beside them in the archive, large ones in
/// stretches. One thread at a time.
final class ReadPlanner<Large: Sendable> {
    private let content: any PiecewiseContent
    private let entries: [TreeEntry]
    private let numbers: [Int]
    private let open: (_ position: Int) throws(CapsuleError) -> Large
    private var position = 0
    private var large: (file: Large, entry: Int, offset: UInt64, number: Int)?

    private let groupLength: UInt64 = 512 << 10
    private let groupCount = 256
    private let stretchLength: UInt64 = 1 << 20

    /// - Parameters:
    ///   - numbers: the places of the entries to read; those without content are passed over.
    ///   - open: makes what the threads of a large file share.
    init(
        _ content: any PiecewiseContent, entries: [TreeEntry], numbers: [Int],
        open: @escaping (_ position: Int) throws(CapsuleError) -> Large
    ) {
        self.content = content
        self.entries = entries
        self.numbers = numbers
        self.open = open
    }

    func next() throws(CapsuleError) -> ReadJob<Large>? {
        if let job = nextStretch() { return job }
        let start = position
        var length: UInt64 = 0
        var last: UInt64?
        while position < numbers.count {
            let entry = entries[numbers[position]]
            if entry.kind.hasContent {
                if entry.size > groupLength {
                    if position > start { break }
                    large = (try open(position), numbers[position], 0, 0)
                    position += 1
                    return nextStretch()
                }
                let locality = content.locality(of: numbers[position])
                if length >= groupLength || position - start >= groupCount, locality != last { break }
                last = locality
                length += entry.size
            }
            position += 1
        }
        return position > start ? .files(positions: start..<position) : nil
    }

    private func nextStretch() -> ReadJob<Large>? {
        guard let (file, entry, offset, number) = large else { return nil }
        let size = entries[entry].size
        let range = content.stretch(of: entry, from: offset, size: size, length: stretchLength)
        let isLast = range.upperBound >= size
        large = isLast ? nil : (file, entry, range.upperBound, number + 1)
        return .stretch(file, number: number, range: range, isLast: isLast)
    }
}
