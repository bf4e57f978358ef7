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
