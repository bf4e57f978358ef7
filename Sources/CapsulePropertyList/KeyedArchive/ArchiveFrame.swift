/// A container in the tree that an `ArchiveResolver` builds, while its children are being built.
struct ArchiveFrame {
    /// The form of a container, which determines the places of its children.
    enum Shape {
        /// The children are the elements of an array.
        case array
        /// The children are the values of a dictionary, with the frame's names as keys.
        case dictionary
        /// The children are the values of a dictionary with `$class`, with the frame's names as keys.
        case fields(PlistString)
        /// The children are elements under `$objects`, next to `$class`.
        case objects(PlistString, isOrdered: Bool)
        /// The children are alternating keys and values, which become dictionaries under `$entries`, next to `$class`.
        case entries
    }

    let shape: Shape
    private let names: [PlistString]
    let children: [PlistValue]
    /// The number of containers around this one.
    let depth: Int
    /// The number of the archived object; nil for a container without a number.
    var object: Int?
    /// The index of the container among the places.
    var place = 0
    /// The index of the first child's node.
    var base = 0
    /// The number of children that were begun.
    var begun = 0
    /// The maximum number of container levels in the children so far.
    var height = 0
    /// The number of values in the children so far.
    var weight = 0
    /// The minimum depth of the containers that references in this one point to.
    var low = Int.max
    /// True if a reference contains the position of one of the children.
    var isPassed = false

    /// Creates a frame for an array, or for the elements of a named class.
    init(elements: [PlistValue], of className: PlistString? = nil, isOrdered: Bool = true, depth: Int) {
        let shape = className.map { Shape.objects($0, isOrdered: isOrdered) } ?? .array
        self.init(shape, names: [], children: elements, depth: depth)
    }

    /// Creates a frame for a dictionary. Keys that begin with `$` get another `$` in front.
    init(dictionary: PlistDictionary, depth: Int) {
        self.init(.dictionary, dictionary.map { (Self.escaped($0.key), $0.value) }, depth: depth)
    }

    /// Creates a frame for an object's fields, without its class. Names that an archiver generates (`$0` and so on) are kept.
    init(fields: PlistDictionary, of className: PlistString, depth: Int) {
        let named = fields.filter { $0.key != "$class" }.map { name, value in
            (Self.isNumbered(name) ? name : Self.escaped(name), value)
        }
        self.init(.fields(className), named, depth: depth)
    }

    /// Creates a frame for an archived dictionary. `names` has the keys' strings if all keys are distinct strings.
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

    /// The total length of the names, which were sorted.
    var keyBytes: Int { names.reduce(0) { $0 + $1.utf8.count } }

    /// The number of levels from the container to its children.
    var levels: Int {
        switch shape {
        case .array, .dictionary, .fields: 1
        case .objects: 2
        case .entries: 3
        }
    }

    /// The number of values that the container counts for without its children: the containers it consists of, their keys and class.
    private var ownWeight: Int {
        let keys = names.reduce(0) { $0 + $1.weight }
        return switch shape {
        case .array, .dictionary: 1 + keys
        case .fields(let className): 2 + keys + className.weight
        case .objects(let className, _): 4 + className.weight
        case .entries: 5 + 2 * children.count
        }
    }

    /// Returns the path to a child, with one step per level.
    func steps(to position: Int) -> [PlistPointerStep] {
        switch shape {
        case .array: [.index(position)]
        case .dictionary, .fields: [.key(names[position])]
        case .objects: [.key("$objects"), .index(position)]
        case .entries: [.key("$entries"), .index(position / 2), .key(position % 2 == 0 ? "key" : "value")]
        }
    }

    /// Returns the positions of unordered elements or entries in sorted order, or nil if they keep their order.
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

    /// Returns the completed container. The order must be a result of ``order(of:)``.
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
            value: value, height: levels + height, weight: ownWeight + weight, low: low < depth ? low : .max,
            hash: hash.value)
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

/// A part of the tree that an `ArchiveResolver` builds.
struct ArchiveNode {
    let value: PlistValue
    /// The number of container levels in the value.
    let height: Int
    /// The number of values that it counts for in ``PlistLimits/expandedValues``.
    let weight: Int
    /// The minimum depth of the containers outside of this value that its references point to, or `Int.max` if there are none.
    let low: Int
    /// A hash that is the same for equal values in every process.
    let hash: UInt64

    /// True if the value has the same meaning in any other place.
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

    /// Creates a reference to the container at a depth.
    init(reference pointer: PlistString, to depth: Int) {
        let value = PlistValue.string(pointer)
        self.init(value: ["$ref": value], height: 1, weight: 2 + value.weight, low: depth, hash: StableHash.of(value))
    }

    /// The number of leading bytes of strings and data that are always compared.
    private static let head = 256

    /// Returns true if this node sorts first where an archive has no order: scalars by type and value, containers by hash.
    ///
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
    /// True if the value alone identifies the object's type, so that the class can be omitted.
    var isNatural: Bool {
        className?.string != "NSURL" && className?.string != "NSUUID"
    }
}

/// A hash of values that is the same in every process, used to sort values in a reproducible order.
///
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
