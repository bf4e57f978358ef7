/// Finds runs of bytes of one kind, such as the digits of a word.
enum ByteRuns {
    /// Calls `take` with each run of at least `length` bytes that are members, until it returns false. Of that many bytes, it first reads one,
    /// and then one half as far from it: most data has no such run.
    /// - Parameter members: a value for each of the 256 bytes.
    /// - Returns: false if `take` returned it.
    @discardableResult
    static func forEach(
        of members: [Bool], in bytes: UnsafeBufferPointer<UInt8>, atLeast length: Int,
        _ take: (Slice<UnsafeBufferPointer<UInt8>>) -> Bool
    ) -> Bool {
        members.withUnsafeBufferPointer { members in
            var (place, first) = (length - 1, 0)
            while place < bytes.count {
                let (left, right) = (place - length / 2, min(place + length / 2, bytes.count - 1))
                guard members[Int(bytes[place])], members[Int(bytes[left])] || members[Int(bytes[right])] else {
                    place += length
                    continue
                }
                var (start, end) = (place, place + 1)
                while start > first, members[Int(bytes[start - 1])] { start -= 1 }
                while end < bytes.count, members[Int(bytes[end])] { end += 1 }
                if end - start >= length, !take(bytes[start..<end]) { return false }
                first = end
                place = end + length
            }
            return true
        }
    }
}
