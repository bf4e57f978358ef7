/// A part of the tree that an `ArchiveResolver` builds.
struct ArchiveNode {
    let value: PlistValue
    let height: Int
    /// The number of values that it counts for in ``PlistLimits/expandedValues``.
    let weight: Int
    /// The minimum depth of the containers outside of this value that its references point to, or `Int.max` if there are none.
    let low: Int
    let hash: UInt64
    var isSelfContained: Bool { low == .max }

    init(value: PlistValue, height: Int, weight: Int, low: Int, hash: UInt64) {
        self.value = value
        self.height = height
        self.weight = weight
        self.low = low
        self.hash = hash
    }

    init(scalar: PlistValue) {
        self.init(value: scalar, height: 0, weight: scalar.weight, low: .max, hash: StableHash.of(scalar))
    }

    /// Creates a node for an object that holds one scalar. The class is included if the scalar alone doesn't identify it.
    init(scalarOf object: ArchivedObject) {
        guard case .value(let scalar) = object.content else {
            self.init(scalar: .null)
            return
        }
        guard let className = object.className, !object.isNatural else {
            self.init(scalar: scalar)
            return
        }
        var hash = StableHash()
        hash.combine(className)
        hash.combine(StableHash.of(scalar))
        let value = PlistValue.dictionary(["$class": .string(className), "$value": scalar])
        self.init(value: value, height: 1, weight: 3 + className.weight + scalar.weight, low: .max, hash: hash.value)
    }

    init(reference pointer: PlistString, to depth: Int) {
        let value = PlistValue.string(pointer)
        self.init(value: ["$ref": value], height: 1, weight: 2 + value.weight, low: depth, hash: StableHash.of(value))
    }

    /// The number of leading bytes of strings and data that are always compared.
    private static let head = 256

    /// Returns true if this node sorts first where an archive has no order: scalars by type and value, containers by hash.
    /// Adds the number of bytes that are compared beyond the first few to `compared`, because the same long string can occur many
    /// times.
    func precedes(_ other: ArchiveNode, _ compared: inout Int) -> Bool {
        switch (value, other.value) {
        case (.string(let left), .string(let right)):
            left.withUTF8 { left in right.withUTF8 { right in precedes(other, left, right, &compared) } }
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)):
            left == right || left.isNaN || right.isNaN ? left.bitPattern < right.bitPattern : left < right
        case (.boolean(let left), .boolean(let right)): !left && right
        case (.data(let left), .data(let right)):
            left.withUnsafeBufferPointer { left in
                right.withUnsafeBufferPointer { right in precedes(other, left, right, &compared) }
            }
        default: (rank, hash) < (other.rank, other.hash)
        }
    }

    private func precedes(
        _ other: ArchiveNode, _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ compared: inout Int
    ) -> Bool {
        let (leftHead, rightHead) = (left.prefix(Self.head), right.prefix(Self.head))
        if let place = UnsafeBufferPointer(rebasing: leftHead).firstDifference(from: UnsafeBufferPointer(rebasing: rightHead)) {
            return left[place] < right[place]
        }
        guard left.count > Self.head, right.count > Self.head else { return left.count < right.count }
        guard hash == other.hash else { return hash < other.hash }
        compared += min(left.count, right.count)
        if let place = left.firstDifference(from: right) { return left[place] < right[place] }
        return left.count < right.count
    }

    private var rank: Int {
        switch value {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .real: 3
        case .date: 4
        case .string: 5
        case .data: 6
        case .uid: 7
        case .array: 8
        case .dictionary: 9
        }
    }
}

extension ArchivedObject {
    var isNatural: Bool { className?.string != "NSURL" && className?.string != "NSUUID" }
}

/// A hash of values that is the same in every process, used to sort values in a reproducible order.
/// The hash provides no security: collisions can be constructed. (FNV-1a, mixed as in SplitMix64)
struct StableHash {
    /// The length in bytes above which strings and data are hashed by their two ends and their length only.
    private static let hashedBytes = 1024

    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func combine(_ number: UInt64) {
        state = (state ^ number) &* 0x100_0000_01B3
        state ^= state >> 29
    }

    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        combine(UInt64(bytes.count))
        if bytes.count <= Self.hashedBytes {
            for byte in bytes { combine(UInt64(byte)) }
        } else {
            for byte in bytes.prefix(Self.hashedBytes / 2) { combine(UInt64(byte)) }
            for byte in bytes.suffix(Self.hashedBytes / 2) { combine(UInt64(byte)) }
        }
    }

    mutating func combine(_ string: PlistString) {
        string.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
    }

    /// Returns the hash of a scalar. Containers are hashed by their types and sizes only.
    static func of(_ scalar: PlistValue) -> UInt64 {
        var hash = StableHash()
        switch scalar {
        case .null:
            hash.combine(0)
        case .boolean(let boolean):
            hash.combine(boolean ? 1 : 2)
        case .integer(let integer):
            hash.combine(integer.isNegative ? 3 : 4)
            hash.combine(integer.magnitude)
        case .real(let real):
            hash.combine(5)
            hash.combine(real.bitPattern)
        case .date(let seconds):
            hash.combine(6)
            hash.combine(seconds.bitPattern)
        case .string(let string):
            hash.combine(7)
            hash.combine(string)
        case .data(let bytes):
            hash.combine(8)
            bytes.withUnsafeBytes { hash.combine($0) }
        case .uid(let uid):
            hash.combine(9)
            hash.combine(uid)
        case .array(let elements):
            hash.combine(10)
            hash.combine(UInt64(elements.count))
        case .dictionary(let dictionary):
            hash.combine(11)
            hash.combine(UInt64(dictionary.count))
        }
        return hash.value
    }
}
