/// A part of the tree that an `ArchiveResolver` makes.
struct ArchiveNode {
    let value: PlistValue
    /// The levels of containers in it.
    let height: Int
    /// The least number of containers around what a reference in it leads to, if that is outside of it; else `Int.max`.
    let low: Int
    /// The same for equal values, in every process.
    let hash: UInt64

    /// Whether it means the same in any other place.
    var isSelfContained: Bool { low == .max }

    init(value: PlistValue, height: Int, low: Int, hash: UInt64) {
        self.value = value
        self.height = height
        self.low = low
        self.hash = hash
    }

    init(scalar: PlistValue) {
        self.init(value: scalar, height: 0, low: .max, hash: StableHash.of(scalar))
    }

    /// An object that holds one scalar; of a class that other values do not have it is named.
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
        self.init(value: value, height: 1, low: .max, hash: hash.value)
    }

    /// A reference to a container that so many others are around.
    init(reference pointer: PlistString, to depth: Int) {
        self.init(value: ["$ref": .string(pointer)], height: 1, low: depth, hash: StableHash.of(.string(pointer)))
    }

    /// Bytes of strings and data that are always compared.
    private static let head = 256

    /// Whether it comes first where an archive has no order: scalars by type and value, containers by what is in them.
    ///
    /// Adds the bytes that are compared beyond the first few: the same long string can be there many times.
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
    /// Whether its value stands for itself, so that the class need not be said.
    var isNatural: Bool {
        className?.string != "NSURL" && className?.string != "NSUUID"
    }
}
