import CSystem

extension Array where Element == UInt8 {
    /// Returns true if these bytes precede `other` in memcmp order. A prefix precedes the longer array.
    package func isOrderedBefore(_ other: [UInt8]) -> Bool {
        compareBytes(other) < 0
    }

    /// Returns a negative number, zero or a positive number if these bytes precede, equal or follow `other`. Compares by
    /// memcmp, then by length.
    func compareBytes(_ other: [UInt8]) -> Int {
        withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                let shared = Swift.min(left.count, right.count)
                if shared > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
                    let order = capsule_compare(leftBase, rightBase, shared)
                    if order != 0 { return Int(order) }
                }
                return left.count - right.count
            }
        }
    }

    /// Calls `withUnsafeBytes` and keeps the type of the error that `body` throws.
    @inline(__always)
    package func withRawBytes<Outcome, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let outcome: Result<Outcome, Failure> = withUnsafeBytes { bytes in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// - Parameter read: writes the bytes to a buffer, and returns their number.
    package init(
        reading count: Int, _ read: (UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int
    ) throws(CapsuleError) {
        var failure: CapsuleError?
        self.init(unsafeUninitializedCapacity: count) { room, filled in
            do throws(CapsuleError) {
                filled = try read(UnsafeMutableRawBufferPointer(room))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
