/// A container of the tree that an `ArchiveResolver` makes, while its children are being made.
struct ArchiveFrame {
    /// What becomes of the children.
    enum Shape {
        /// The elements of an array.
        case array
        /// The values of a dictionary, by the frame's names.
        case dictionary
        /// The values of a dictionary with `$class`, by the frame's names.
        case fields(PlistString)
        /// Elements under `$objects`, next to `$class`.
        case objects(PlistString, isOrdered: Bool)
        /// Keys and values in turn, which become dictionaries under `$entries`, next to `$class`.
        case entries
    }

    let shape: Shape
    private let names: [PlistString]
    let children: [PlistValue]
    /// The containers around it.
    let depth: Int
    /// The archived object that it is for; nil for a container without a number.
    var object: Int?
    /// Its number among the places.
    var place = 0
    /// The storage of what is in it, 0 for none.
    var address: UInt = 0
    /// Where its children's nodes begin.
    var base = 0
    /// How many children have been begun.
    var begun = 0
    /// The levels of containers in the children so far.
    var height = 0
    /// The least number of containers around what a reference in it leads to.
    var low = Int.max
    /// Whether a reference goes by the position of one of its children.
    var isPassed = false

    /// An array, or elements of a class that is named.
    init(elements: [PlistValue], of className: PlistString? = nil, isOrdered: Bool = true, depth: Int) {
        let shape = className.map { Shape.objects($0, isOrdered: isOrdered) } ?? .array
        self.init(shape, names: [], children: elements, depth: depth)
    }

    /// A dictionary, whose keys get a `$` in front of any that they begin with.
    init(dictionary: PlistDictionary, depth: Int) {
        self.init(.dictionary, dictionary.map { (Self.escaped($0.key), $0.value) }, depth: depth)
    }

    /// An object's fields, without its class. The names that an archiver makes up, `$0` and so on, stay.
    init(fields: PlistDictionary, of className: PlistString, depth: Int) {
        let named = fields.filter { $0.key != "$class" }.map { name, value in
            (Self.isNumbered(name) ? name : Self.escaped(name), value)
        }
        self.init(.fields(className), named, depth: depth)
    }

    /// An archived dictionary, with its keys' strings if they are all different strings.
    init(keys: [PlistValue], values: [PlistValue], names: [PlistString]?, depth: Int) {
        if let names {
            self.init(.dictionary, zip(names, values).map { (Self.escaped($0), $1) }, depth: depth)
        } else {
            self.init(.entries, names: [], children: zip(keys, values).flatMap { [$0, $1] }, depth: depth)
        }
    }

    private init(_ shape: Shape, _ named: [(PlistString, PlistValue)], depth: Int) {
        let sorted = named.sorted { $0.0 < $1.0 }
        self.init(shape, names: sorted.map { $0.0 }, children: sorted.map { $0.1 }, depth: depth)
    }

    private init(_ shape: Shape, names: [PlistString], children: [PlistValue], depth: Int) {
        self.shape = shape
        self.names = names
        self.children = children
        self.depth = depth
    }

    private static func escaped(_ name: PlistString) -> PlistString {
        name.utf8.first == UInt8(ascii: "$") ? PlistString("$" + name.string) : name
    }

    private static func isNumbered(_ name: PlistString) -> Bool {
        let digits = name.utf8.dropFirst()
        return name.utf8.first == UInt8(ascii: "$") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The bytes of its names, which were put into an order.
    var keyBytes: Int { names.reduce(0) { $0 + $1.utf8.count } }

    /// The levels from it to its children.
    var levels: Int {
        switch shape {
        case .array, .dictionary, .fields: 1
        case .objects: 2
        case .entries: 3
        }
    }

    /// The way to a child, one step for each level.
    func steps(to position: Int) -> [PlistPointerStep] {
        switch shape {
        case .array: [.index(position)]
        case .dictionary, .fields: [.key(names[position])]
        case .objects: [.key("$objects"), .index(position)]
        case .entries: [.key("$entries"), .index(position / 2), .key(position % 2 == 0 ? "key" : "value")]
        }
    }

    /// Of elements or entries that have no order, the positions in the order that they are given; nil if they stay.
    func order(of nodes: [ArchiveNode], _ compared: inout Int) -> [Int]? {
        guard !isPassed else { return nil }
        switch shape {
        case .objects(_, isOrdered: false):
            return nodes.indices.sorted { nodes[$0].precedes(nodes[$1], &compared) }
        case .entries:
            return (0..<nodes.count / 2).sorted { nodes[2 * $0].precedes(nodes[2 * $1], &compared) }
        default:
            return nil
        }
    }

    /// The finished container; an order is one of ``order(of:)``.
    func node(of nodes: [ArchiveNode], in order: [Int]?) -> ArchiveNode {
        var ordered = nodes
        if case .entries = shape {
            ordered = (order ?? Array(0..<nodes.count / 2)).flatMap { [nodes[2 * $0], nodes[2 * $0 + 1]] }
        } else if let order {
            ordered = order.map { nodes[$0] }
        }
        var hash = StableHash()
        for name in names { hash.combine(name) }
        for node in ordered { hash.combine(node.hash) }
        let value = value(of: ordered.map { $0.value }, &hash)
        return ArchiveNode(
            value: value, height: levels + height, low: low < depth ? low : .max, hash: hash.value)
    }

    private func value(of values: [PlistValue], _ hash: inout StableHash) -> PlistValue {
        switch shape {
        case .array:
            hash.combine(1)
            return .array(values)
        case .dictionary:
            hash.combine(2)
            return .dictionary(PlistDictionary(zip(names, values).map { ($0, $1) }))
        case .fields(let className):
            hash.combine(className)
            return .dictionary(PlistDictionary([("$class", .string(className))] + zip(names, values).map { ($0, $1) }))
        case .objects(let className, _):
            hash.combine(className)
            return ["$class": .string(className), "$objects": .array(values)]
        case .entries:
            hash.combine(3)
            let entries = stride(from: 0, to: values.count, by: 2).map { position in
                ["key": values[position], "value": values[position + 1]] as PlistValue
            }
            return ["$class": "NSDictionary", "$entries": .array(entries)]
        }
    }
}

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

/// A hash of values that is the same in every process, for putting things into an order that depends on nothing else.
///
/// It protects from nothing: whoever wants two values to have one hash can have that. (FNV-1a, mixed as in SplitMix64)
struct StableHash {
    /// Strings and data longer than this are hashed by their ends and their count.
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

    /// A scalar's hash; containers have one by their types and sizes only.
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
