import CSystem

/// Finds bytes in other bytes.
package enum ByteSearch {
    /// Returns true if `haystack` contains `needle`. An empty needle is in everything.
    package static func contains(_ haystack: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        needle.isEmpty || first(needle, in: haystack) != nil
    }

    /// Returns the first place of some bytes, of which there is at least one; nil if they are not there.
    package static func first(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = needle.first, bytes.count >= needle.count else { return nil }
        let starts = UnsafeRawBufferPointer(rebasing: bytes[...(bytes.count - needle.count)])
        var place = 0
        while let found = first(start, in: starts, from: place) {
            if bytes[found...].prefix(needle.count).elementsEqual(needle) { return found }
            place = found + 1
        }
        return nil
    }

    /// Returns the place of the first byte of some value from a place on; nil if there is none.
    package static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from place: Int) -> Int? {
        guard let start = bytes.baseAddress, place < bytes.count,
            let found = memchr(start + place, Int32(byte), bytes.count - place)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
