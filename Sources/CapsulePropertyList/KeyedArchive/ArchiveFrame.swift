/// A container in the tree that an `ArchiveResolver` builds, while its children are being built.
struct ArchiveFrame {
    /// The form of a container, which determines the places of its children.
    enum Shape {
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
    let depth: Int
    /// The number of the archived object; nil for a container without a number.
    var object: Int?
    var place = 0
    var base = 0
    var begun = 0
    /// The maximum number of container levels in the children so far.
    var height = 0
    var weight = 0
    /// The minimum depth of the containers that references in this one point to.
    var low = Int.max
    var isPassed = false

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

    var keyBytes: Int { names.reduce(0) { $0 + $1.utf8.count } }

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

    func steps(to position: Int) -> [PlistPointerStep] {
        switch shape {
        case .array: [.index(position)]
        case .dictionary, .fields: [.key(names[position])]
        case .objects: [.key("$objects"), .index(position)]
        case .entries: [.key("$entries"), .index(position / 2), .key(position % 2 == 0 ? "key" : "value")]
        }
    }

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
