/// A stack from which a run of elements can be moved out into an array of exactly their number.
///
/// Readers collect the children of all open containers on one stack, so that a container costs one allocation
/// whatever its size.
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

    /// Takes off everything from `start` on.
    mutating func pop(from start: Int) -> [Element] {
        precondition(start >= 0 && start <= count)
        let number = count - start
        count = start
        return [Element](unsafeUninitializedCapacity: number) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base + start, count: number)
            initialized = number
        }
    }

    /// Drops everything from `start` on.
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
