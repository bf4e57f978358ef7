import CapsuleCore
import CapsuleSystem
import Synchronization

/// A nameless sparse file with the parts of a remote file that were fetched.
final class Spool: Sendable {
    private let file: SpoolFile
    let length: UInt64
    private let present = Mutex(RangeList())

    /// - Parameter directory: the directory of the file; nil for `$TMPDIR`.
    init(length: UInt64, in directory: HostPath?) throws(CapsuleError) {
        file = try SpoolFile(in: directory)
        self.length = length
    }

    /// Returns the parts of ranges that were not fetched yet, sorted.
    func missing(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        var wanted = RangeList()
        for range in ranges { wanted.insert(range.clamped(to: 0..<length)) }
        return present.withLock { present in wanted.ranges.flatMap { present.missing(in: $0) } }
    }

    func has(_ range: Range<UInt64>) -> Bool {
        present.withLock { $0.missing(in: range).isEmpty }
    }

    /// Writes bytes. They count as fetched once ``mark(_:)`` is called.
    func write(_ bytes: [UInt8], at offset: UInt64) throws(CapsuleError) {
        guard offset <= length, UInt64(bytes.count) <= length - offset else {
            throw CapsuleError(.damaged, "the server sent more bytes than it had announced")
        }
        let outcome: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
            do throws(CapsuleError) {
                return .success(try file.write(bytes, at: offset))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    func mark(_ range: Range<UInt64>) { present.withLock { $0.insert(range) } }

    /// Reads bytes that were fetched.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        guard try file.read(at: offset, into: buffer) == buffer.count else {
            throw CapsuleError("the temporary file with what was fetched became shorter", path: file.path)
        }
    }
}

/// Ranges that neither touch nor overlap, in order.
struct RangeList: Sendable {
    private(set) var ranges: [Range<UInt64>] = []

    mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        let first = ranges.indexOfFirst(notBefore: { $0.upperBound < range.lowerBound })
        let end = ranges.indexOfFirst(notBefore: { $0.lowerBound <= range.upperBound })
        var joined = range
        if first < end {
            joined = min(range.lowerBound, ranges[first].lowerBound)..<max(range.upperBound, ranges[end - 1].upperBound)
        }
        ranges.replaceSubrange(first..<end, with: [joined])
    }

    /// Returns the parts of a range that no range covers.
    func missing(in range: Range<UInt64>) -> [Range<UInt64>] {
        var missing: [Range<UInt64>] = []
        var start = range.lowerBound
        var place = ranges.indexOfFirst(notBefore: { $0.upperBound <= start })
        while start < range.upperBound {
            guard place < ranges.count, ranges[place].lowerBound < range.upperBound else {
                missing.append(start..<range.upperBound)
                break
            }
            if start < ranges[place].lowerBound { missing.append(start..<ranges[place].lowerBound) }
            start = ranges[place].upperBound
            place += 1
        }
        return missing
    }
}
