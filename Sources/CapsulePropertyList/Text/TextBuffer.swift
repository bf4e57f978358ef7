/// A growing buffer of UTF-8 text. Writers fill it, and readers use it for text that is not one contiguous range of the document.
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

    /// Removes all bytes after the first `length` bytes.
    mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count)
        count = length
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    /// Appends a character as UTF-8.
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

    /// Calls `body` with space for `size` bytes at the end. It returns the number of bytes that it wrote.
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

/// A stack from which elements can be moved into an array of exactly their number.
///
/// Readers collect the children of all open containers on one stack, so that a container needs one allocation, whatever its size.
struct MoveStack<Element>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    subscript(position: Int) -> Element {
        _read {
            precondition(position >= 0 && position < count)
            yield base[position]
        }
        _modify {
            precondition(position >= 0 && position < count)
            yield &base[position]
        }
    }

    /// Removes and returns all elements from `start` on.
    mutating func pop(from start: Int) -> [Element] {
        precondition(start >= 0 && start <= count)
        let number = count - start
        count = start
        return [Element](unsafeUninitializedCapacity: number) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base + start, count: number)
            initialized = number
        }
    }

    /// Removes all elements from `start` on.
    mutating func remove(from start: Int) {
        precondition(start >= 0 && start <= count)
        (base + start).deinitialize(count: count - start)
        count = start
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
