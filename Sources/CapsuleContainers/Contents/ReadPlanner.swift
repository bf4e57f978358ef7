package import CapsuleCore

/// Cuts the reading of many files into jobs: small files together with their neighbors in the archive, large ones in stretches.
/// Only one thread may use it at a time.
package final class ReadPlanner<Large: Sendable> {
    private let contents: EntryContents
    private let entries: [TreeEntry]
    private let numbers: [Int]
    private let open: (_ position: Int) throws(CapsuleError) -> Large
    private var position = 0
    private var large: (file: Large, entry: Int, offset: UInt64, number: Int)?

    private let groupLength: UInt64 = 512 << 10
    private let groupCount = 256
    private let rangeLength: UInt64 = 1 << 20

    /// - Parameters:
    ///   - contents: the contents of `entries`.
    ///   - numbers: the positions of the entries to read. Entries without content are skipped.
    ///   - open: creates the value that the threads that read a large file share.
    package init(
        _ contents: EntryContents, of entries: [TreeEntry], numbers: [Int],
        open: @escaping (_ position: Int) throws(CapsuleError) -> Large
    ) {
        self.contents = contents
        self.entries = entries
        self.numbers = numbers
        self.open = open
    }

    package func next() throws(CapsuleError) -> ReadJob<Large>? {
        if let job = nextRange() { return job }
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
                    return nextRange()
                }
                let locality = contents.locality(of: numbers[position])
                if length >= groupLength || position - start >= groupCount, locality != last { break }
                last = locality
                length += entry.size
            }
            position += 1
        }
        return position > start ? .files(positions: start..<position) : nil
    }

    private func nextRange() -> ReadJob<Large>? {
        guard let (file, entry, offset, number) = large else { return nil }
        let size = entries[entry].size
        let range = contents.readRange(of: entry, from: offset, size: size, length: rangeLength)
        let isLast = range.upperBound >= size
        large = isLast ? nil : (file, entry, range.upperBound, number + 1)
        return .range(file, number: number, range: range, isLast: isLast)
    }
}

/// A part of a container's files for one thread to read.
package enum ReadJob<Large: Sendable>: Sendable {
    /// Whole files, as positions in the planner's list.
    case files(positions: Range<Int>)
    /// A stretch of a large file.
    case range(Large, number: Int, range: Range<UInt64>, isLast: Bool)
}
