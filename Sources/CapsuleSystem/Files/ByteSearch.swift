import CSystem

/// Finds bytes in other bytes.
package enum ByteSearch {
    /// Returns true if `haystack` contains `needle`. An empty needle is in everything.
    package static func contains(_ haystack: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        guard let first = needle.first else { return true }
        guard let start = haystack.baseAddress, haystack.count >= needle.count else { return false }
        let end = start + (haystack.count - needle.count + 1)
        return needle.withUnsafeBytes { needle in
            guard let bytes = needle.baseAddress else { return true }
            var place = start
            while place < end, let found = memchr(place, Int32(first), end - place) {
                if memcmp(found, bytes, needle.count) == 0 { return true }
                place = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
