#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// Below, at or above zero as these bytes come before, with or after `other`: memcmp, then the length.
    func order(to other: UnsafeRawBufferPointer) -> Int32 {
        let shared = Swift.min(count, other.count)
        if shared > 0, let left = baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return order }
        }
        return count < other.count ? -1 : count > other.count ? 1 : 0
    }

    /// Whether the bytes are the same.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
