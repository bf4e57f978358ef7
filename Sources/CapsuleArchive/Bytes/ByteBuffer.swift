import CapsuleCore
import CapsuleSystem

/// A buffer that is filled, written and filled again. Its memory is not zeroed, and is moved only when the buffer grows.
/// Only one thread at a time may use it: its holder owns it.
package final class ByteBuffer: @unchecked Sendable {
    private var base: UnsafeMutableRawPointer
    package private(set) var capacity: Int
    package private(set) var count = 0

    package init(capacity: Int) {
        self.capacity = max(64, capacity)
        base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    deinit {
        base.deallocate()
    }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    package func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    package func removeAll() { count = 0 }

    package func truncate(to count: Int) {
        self.count = min(count, self.count)
    }

    package func reserve(_ additional: Int) {
        guard capacity - count < additional else { return }
        let grown = max(capacity * 2, count + additional)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 64)
        moved.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = moved
        capacity = grown
    }

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

    func overwrite(at offset: Int, with value: some FixedWidthInteger) {
        precondition(offset >= 0 && offset + MemoryLayout.size(ofValue: value) <= count, "overwriting unfilled bytes")
        withUnsafeBytes(of: value.littleEndian) { source in
            UnsafeMutableRawBufferPointer(start: base + offset, count: source.count).copyMemory(from: source)
        }
    }
}

/// Fast comparison of raw bytes.
package enum RawBytes {
    package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
        return memcmp(leftBase, rightBase, left.count) == 0
    }
}

/// A cursor over untrusted bytes that never reads past their end.
struct ByteReader {
    /// The error for bytes that end early, or for a number that is out of range.
    struct Shortage: Error {}

    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

    @inline(__always)
    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(Shortage) -> Value {
        guard remaining >= MemoryLayout<Value>.size else { throw Shortage() }
        defer { position += MemoryLayout<Value>.size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: type))
    }

    @inline(__always)
    mutating func slice(_ count: Int) throws(Shortage) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw Shortage() }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func digest() throws(Shortage) -> ContentDigest {
        guard let digest = ContentDigest(try slice(ContentDigest.byteCount)) else { throw Shortage() }
        return digest
    }

    /// Reads an unsigned LEB128 of at most 64 bits in its shortest form.
    @inline(__always)
    mutating func varint() throws(Shortage) -> UInt64 {
        let first = try integer(UInt8.self)
        if first < 0x80 { return UInt64(first) }
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let byte = try integer(UInt8.self)
            let bits = UInt64(byte & 0x7F)
            if shift == 63, bits > 1 { throw Shortage() }
            value |= bits << shift
            if byte < 0x80 {
                if byte == 0 { throw Shortage() }
                return value
            }
            shift += 7
            if shift > 63 { throw Shortage() }
        }
    }

    @inline(__always)
    mutating func count(limit: Int) throws(Shortage) -> Int {
        let value = try varint()
        guard value <= UInt64(limit) else { throw Shortage() }
        return Int(value)
    }

    mutating func zigzag() throws(Shortage) -> Int64 {
        Int64(zigzag: try varint())
    }
}

/// Zigzag coding: 0, −1, 1, −2 … are 0, 1, 2, 3 …
extension Int64 {
    @inline(__always)
    init(zigzag value: UInt64) { self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }

    @inline(__always)
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
}

extension Array where Element == UInt8 {
    @inline(__always)
    mutating func appendInteger(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func appendDigest(_ digest: ContentDigest) {
        digest.withBytes { append(contentsOf: $0) }
    }

    @inline(__always)
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func appendZigzag(_ value: Int64) {
        appendVarint(value.zigzag)
    }

    mutating func appendCounted(_ bytes: [UInt8]) {
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
