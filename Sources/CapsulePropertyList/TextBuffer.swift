/// UTF-8 text that grows at the end: what writers fill, and where readers put what is not a plain run of the document.
struct TextBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    /// The bytes so far, valid until the next change.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }

    /// A copy of the bytes so far.
    var array: [UInt8] {
        [UInt8](bytes)
    }

    mutating func removeAll() {
        count = 0
    }

    /// Drops everything from the `length`th byte on.
    mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count)
        count = length
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    /// Appends a character's UTF-8.
    mutating func append(_ scalar: Unicode.Scalar) {
        guard scalar.value >= 0x80 else { return append(UInt8(truncatingIfNeeded: scalar.value)) }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(repeating byte: UInt8, count repeats: Int) {
        reserve(repeats)
        (base + count).update(repeating: byte, count: repeats)
        count &+= repeats
    }

    /// Calls `body` with room for `size` bytes at the end; it returns how many it has filled.
    mutating func append(atMost size: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(size)
        count &+= body(base + count)
    }

    private mutating func reserve(_ more: Int) {
        guard capacity &- count < more else { return }
        let wanted = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
        capacity = wanted
    }
}
