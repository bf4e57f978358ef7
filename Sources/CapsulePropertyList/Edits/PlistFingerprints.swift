/// Whether values are the same, answered many times about the same values.
///
/// A value's fingerprint is a number over all that is in it. Values with different ones differ; those with the same one
/// are compared in full, which comes to little because they nearly always are the same, and then nobody asks about what
/// is in them. Containers and what is long are looked at once, however often they are shared. The values have to be kept
/// by the caller.
struct PlistFingerprints {
    /// Strings and data of this length are remembered like containers.
    private static let largeScalar = 1024

    /// A container whose contents are being gone over.
    private struct Frame {
        let container: PlistValue
        let address: UInt
        var next = 0
        /// Of an array, where the order counts.
        var hasher = Hasher()
        /// Of a dictionary, where it does not.
        var sum = 0
    }

    /// From a storage's address to its fingerprint.
    private var known: [UInt: Int] = [:]

    /// Whether two values are equal.
    mutating func areEqual(_ left: PlistValue, _ right: PlistValue) -> Bool {
        guard left.isContainer, right.isContainer else { return left == right }
        let address = Self.address(of: left)
        if address != nil, address == Self.address(of: right) { return left.array != nil || right.array == nil }
        return fingerprint(of: left) == fingerprint(of: right) && left == right
    }

    /// The value's fingerprint.
    mutating func fingerprint(of value: PlistValue) -> Int {
        var frames: [Frame] = []
        var result = begin(value, &frames)
        while let top = frames.indices.last {
            if let finished = result {
                result = nil
                add(finished, to: &frames[top])
            } else if let child = Self.nextChild(of: &frames[top]) {
                result = begin(child, &frames)
            } else {
                let frame = frames.removeLast()
                var hasher = frame.hasher
                hasher.combine(frame.sum)
                let finished = hasher.finalize()
                known[frame.address] = finished
                result = finished
            }
        }
        return result ?? 0
    }

    private static func nextChild(of frame: inout Frame) -> PlistValue? {
        defer { frame.next += 1 }
        switch frame.container {
        case .array(let elements): return frame.next < elements.count ? elements[frame.next] : nil
        case .dictionary(let entries): return frame.next < entries.count ? entries[frame.next].value : nil
        default: return nil
        }
    }

    private func add(_ fingerprint: Int, to frame: inout Frame) {
        guard case .dictionary(let entries) = frame.container else { return frame.hasher.combine(fingerprint) }
        var hasher = Hasher()
        hasher.combine(entries[frame.next - 1].key)
        hasher.combine(fingerprint)
        frame.sum &+= hasher.finalize()
    }

    /// The fingerprint of what is no container or has been seen; a container is put on the stack.
    private mutating func begin(_ value: PlistValue, _ frames: inout [Frame]) -> Int? {
        let address = Self.address(of: value)
        if let address, let fingerprint = known[address] { return fingerprint }
        var hasher = Hasher()
        hasher.combine(value.typeName)
        switch value {
        case .array, .dictionary:
            guard let address else { break }
            frames.append(Frame(container: value, address: address, hasher: hasher))
            return nil
        case .string(let string): hasher.combine(string)
        case .data(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .integer(let integer): hasher.combine(integer)
        case .real(let number), .date(let number): hasher.combine(number.bitPattern)
        case .boolean(let boolean): hasher.combine(boolean)
        case .uid(let uid): hasher.combine(uid)
        case .null: break
        }
        let fingerprint = hasher.finalize()
        if let address { known[address] = fingerprint }
        return fingerprint
    }

    /// Where the value's storage is: of containers that are not empty, and of what is long.
    private static func address(of value: PlistValue) -> UInt? {
        switch value {
        case .array(let elements):
            elements.isEmpty ? nil : elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary):
            dictionary.isEmpty ? nil : dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .string(let string):
            string.utf8.count < largeScalar ? nil : string.withUTF8 { UInt(bitPattern: $0.baseAddress) }
        case .data(let bytes):
            bytes.count < largeScalar ? nil : bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        default: nil
        }
    }
}
