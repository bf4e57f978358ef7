import CapsuleSystem

/// A buffer that is filled, written and filled again. Its memory is not zeroed, and is moved only when the buffer grows.
///
/// Only one thread at a time may use it: its holder owns it.
package final class ByteBuffer: @unchecked Sendable {
    private var base: UnsafeMutableRawPointer
    package private(set) var capacity: Int
    /// The number of bytes that are filled.
    package private(set) var count = 0

    package init(capacity: Int) {
        self.capacity = max(64, capacity)
        base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    deinit {
        base.deallocate()
    }

    /// The filled bytes.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Returns a range of the filled bytes.
    package func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    package func removeAll() { count = 0 }

    /// Removes the bytes after the first `count`.
    package func truncate(to count: Int) {
        self.count = min(count, self.count)
    }

    /// Reserves space for `additional` bytes after the filled ones, which are kept.
    package func reserve(_ additional: Int) {
        guard capacity - count < additional else { return }
        let grown = max(capacity * 2, count + additional)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 64)
        moved.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = moved
        capacity = grown
    }

    /// Appends at most `capacity` bytes, which `fill` writes. `fill` returns the number of bytes that it wrote.
    @discardableResult
    package func append<Failure: Error>(
        capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        reserve(capacity)
        let written = try fill(UnsafeMutableRawBufferPointer(start: base + count, count: capacity))
        precondition(written >= 0 && written <= capacity, "a writer claims more than its space")
        count += written
        return written
    }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    package func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    package func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { append($0) }
    }

    package func appendZeros(_ zeros: Int) {
        reserve(zeros)
        (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
        count += zeros
    }

    /// Overwrites filled bytes.
    func overwrite(at offset: Int, with value: some FixedWidthInteger) {
        precondition(offset >= 0 && offset + MemoryLayout.size(ofValue: value) <= count, "overwriting unfilled bytes")
        withUnsafeBytes(of: value.littleEndian) { source in
            UnsafeMutableRawBufferPointer(start: base + offset, count: source.count).copyMemory(from: source)
        }
    }
}

/// Fast comparison of raw bytes.
package enum RawBytes {
    /// Returns true if both ranges have the same bytes, with memcmp(3).
    package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
        return memcmp(leftBase, rightBase, left.count) == 0
    }
}
