/// Makes a tree of a keyed archive's graph, with an explicit stack and every object put together once.
///
/// What an object becomes can be used wherever the object comes again, unless a reference in it leads out of it: then it
/// belongs to a circle, and what refers to it has to point to its place. (`KeyedArchive.resolved`)
struct ArchiveResolver: ~Copyable {
    /// Children of containers that were looked into before; beyond that a small archive could become any size.
    private static let repetitions = 1 << 20
    /// Bytes that are compared to put long strings and data into an order.
    private static let comparedBytesLimit = 1 << 28

    /// What is known of an object.
    private enum State {
        case unknown
        case open(frame: Int)
        case closed(ArchiveNode)
    }

    private let archive: KeyedArchive
    private let limits: PlistLimits
    private var states: [State]
    /// The places of all containers, in the order that they were found in.
    private var places: [ArchivePlace] = []
    /// The first place of each object that is a container.
    private var objectPlaces: [Int]
    /// Containers without a number and without references that lead out of them, by their storage.
    private var known: [UInt: ArchiveNode] = [:]
    private var visited: Set<UInt> = []
    private var repeated = 0
    private var pointerBytes = 0
    private var keyBytes = 0
    private var comparedBytes = 0
    private var frames: [ArchiveFrame] = []
    /// The finished children of all open frames.
    private var nodes: [ArchiveNode] = []

    init(_ archive: KeyedArchive, limits: PlistLimits) {
        self.archive = archive
        self.limits = limits
        states = [State](repeating: .unknown, count: archive.objects.count)
        objectPlaces = [Int](repeating: 0, count: archive.objects.count)
    }

    consuming func resolve() throws(PlistError) -> PlistValue {
        do throws(PlistError) {
            try open(ArchiveFrame(dictionary: archive.top, depth: 0), address: 0)
            while let frame = frames.last {
                guard frame.begun < frame.children.count else {
                    try close(frame)
                    continue
                }
                frames[frames.count - 1].begun += 1
                try add(frame.children[frame.begun])
            }
        } catch {
            throw error.pointing(to: steps)
        }
        return nodes.first?.value ?? .null
    }

    // MARK: Children

    /// Adds a child to the frame on top, or opens a frame for it.
    private mutating func add(_ child: PlistValue) throws(PlistError) {
        switch child {
        case .uid(let uid):
            try add(object: Int(clamping: uid))
        case .array(let elements):
            let address = Self.address(elements)
            if let node = known[address] { return try append(node) }
            try open(ArchiveFrame(elements: elements, depth: childDepth), address: address)
        case .dictionary(let dictionary):
            let address = Self.address(dictionary.entries)
            if let node = known[address] { return try append(node) }
            try open(ArchiveFrame(dictionary: dictionary, depth: childDepth), address: address)
        default:
            nodes.append(ArchiveNode(scalar: child))
        }
    }

    private mutating func add(object number: Int) throws(PlistError) {
        switch states[number] {
        case .closed(let node) where node.isSelfContained:
            try append(node)
        case .closed:
            try refer(to: number)
        case .open(let frame):
            try refer(toDepth: frames[frame].depth, by: ArchiveWay())
        case .unknown:
            let object = archive.objects[number]
            if let (frame, address) = try container(of: object) {
                objectPlaces[number] = places.count
                states[number] = .open(frame: frames.count)
                try open(frame, address: address, object: number)
            } else {
                let node = ArchiveNode(scalarOf: object)
                states[number] = .closed(node)
                try append(node)
            }
        }
    }

    /// A frame for an object, and the storage of what is in it; nil for an object that holds a scalar.
    private mutating func container(of object: ArchivedObject) throws(PlistError) -> (ArchiveFrame, UInt)? {
        switch object.content {
        case .value(.array(let elements)):
            return (ArchiveFrame(elements: elements, depth: childDepth), Self.address(elements))
        case .value(.dictionary(let dictionary)):
            return (ArchiveFrame(dictionary: dictionary, depth: childDepth), Self.address(dictionary.entries))
        case .null, .value:
            return nil
        case .array(let elements):
            let className: PlistString? = object.className?.string.hasSuffix("OrderedSet") == true ? "NSOrderedSet" : nil
            return (ArchiveFrame(elements: elements, of: className, depth: childDepth), Self.address(elements))
        case .set(let elements):
            let frame = ArchiveFrame(elements: elements, of: "NSSet", isOrdered: false, depth: childDepth)
            return (frame, Self.address(elements))
        case .dictionary(let keys, let values):
            let frame = ArchiveFrame(keys: keys, values: values, names: try names(of: keys), depth: childDepth)
            return (frame, Self.address(values))
        case .fields(let fields):
            let frame = ArchiveFrame(fields: fields, of: object.className ?? "", depth: childDepth)
            return (frame, Self.address(fields.entries))
        }
    }

    /// The keys' strings, if they are all different strings.
    private mutating func names(of keys: [PlistValue]) throws(PlistError) -> [PlistString]? {
        var names: [PlistString] = []
        for key in keys {
            var content = ArchivedObject.Content.value(key)
            if case .uid(let uid) = key { content = archive.objects[Int(clamping: uid)].nakedContent }
            guard case .value(.string(let string)) = content else { return nil }
            names.append(string)
            try countKey(bytes: string.utf8.count)
        }
        return Set(names).count == names.count ? names : nil
    }

    /// Many dictionaries can have one long key, which is compared in each.
    private mutating func countKey(bytes: Int) throws(PlistError) {
        keyBytes += bytes
        guard keyBytes <= limits.binaryKeyBytes else {
            throw PlistError(.limitExceeded, "the keyed archive's keys take more than \(limits.binaryKeyBytes) bytes")
        }
    }

    private mutating func append(_ node: ArchiveNode) throws(PlistError) {
        guard childDepth + node.height <= limits.depth else { throw depthFailure }
        note(node)
    }

    /// Adds a child to the frame on top, if there is any.
    private mutating func note(_ node: ArchiveNode) {
        nodes.append(node)
        guard let last = frames.indices.last else { return }
        frames[last].height = max(frames[last].height, node.height)
        frames[last].low = min(frames[last].low, node.low)
    }

    // MARK: Frames

    private mutating func open(_ frame: ArchiveFrame, address: UInt, object: Int? = nil) throws(PlistError) {
        guard frame.depth + frame.levels <= limits.depth else { throw depthFailure }
        if address != 0, !visited.insert(address).inserted {
            repeated += frame.children.count
            guard repeated <= Self.repetitions else {
                throw PlistError(.limitExceeded, "the keyed archive repeats objects too often")
            }
        }
        try countKey(bytes: frame.keyBytes)
        let parent = frames.last
        frames.append(frame)
        frames[frames.count - 1].place = places.count
        places.append(
            ArchivePlace(parent: parent?.place ?? 0, steps: parent.map { $0.steps(to: $0.begun - 1) } ?? [], object: object))
        frames[frames.count - 1].base = nodes.count
        frames[frames.count - 1].address = address
        frames[frames.count - 1].object = object
    }

    /// Makes the value of the container whose frame is the last, and adds it to the frame below.
    private mutating func close(_ frame: ArchiveFrame) throws(PlistError) {
        frames.removeLast()
        let children = Array(nodes[frame.base...])
        nodes.removeLast(children.count)
        let order = frame.order(of: children, &comparedBytes)
        guard comparedBytes <= Self.comparedBytesLimit else {
            throw PlistError(.limitExceeded, "the keyed archive repeats objects too often")
        }
        let node = frame.node(of: children, in: order)
        if let object = frame.object {
            states[object] = .closed(node)
            if let order {
                var positions = order
                for (position, origin) in order.enumerated() { positions[origin] = position }
                places[frame.place].positions = positions
            }
        } else if frame.address != 0, node.isSelfContained {
            known[frame.address] = node
        }
        note(node)
    }

    /// The containers around a child of the frame on top.
    private var childDepth: Int {
        frames.last.map { $0.depth + $0.levels } ?? 0
    }

    private var depthFailure: PlistError {
        PlistError(.limitExceeded, "the keyed archive's objects nest deeper than \(limits.depth) levels")
    }

    /// The way to the value that is being added.
    private var steps: [PlistPointerStep] {
        frames.flatMap { $0.begun > 0 ? $0.steps(to: $0.begun - 1) : [] }
    }

    /// 0 for no storage.
    private static func address<Element>(_ elements: [Element]) -> UInt {
        elements.isEmpty ? 0 : elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}

/// Pointers to what is not put together yet, or leads into a circle.
extension ArchiveResolver {
    /// Bytes of pointers to objects of circles.
    private static let pointerBytesLimit = 1 << 26

    /// Adds a reference to an object that is closed, but belongs to a circle that was open when it was.
    private mutating func refer(to number: Int) throws(PlistError) {
        var way = ArchiveWay()
        var next = objectPlaces[number]
        while next > 0 {
            let place = places[next]
            let parent = places[place.parent]
            if let object = parent.object, case .open(let frame) = states[object] {
                // The way goes by the child's position, which must not change any more.
                frames[frame].isPassed = true
                way.prepend(place.steps)
                return try refer(toDepth: frames[frame].depth, by: way)
            }
            way.prepend(place.steps, moved: parent.positions)
            next = place.parent
        }
        try refer(toDepth: 0, by: way)
    }

    /// Adds a reference to what is so deep, and from there by the way.
    private mutating func refer(toDepth depth: Int, by way: ArchiveWay) throws(PlistError) {
        let pointer = PlistString("\(childDepth - depth)\(way.pointer)")
        pointerBytes += pointer.utf8.count
        guard pointerBytes <= min(Self.pointerBytesLimit, limits.outputBytes) else {
            throw PlistError(.limitExceeded, "the keyed archive's reference cycles are too large")
        }
        try append(ArchiveNode(reference: pointer, to: depth))
    }
}

extension ArchivedObject {
    /// The content of an object whose class need not be said.
    fileprivate var nakedContent: Content {
        isNatural ? content : .fields([:])
    }
}

/// The way down to an archived object, put together from its end.
private struct ArchiveWay {
    private var parts: [[PlistPointerStep]] = []

    /// Puts the steps from a container to a child in front; if its elements were moved, the step to one goes by the new places.
    mutating func prepend(_ steps: [PlistPointerStep], moved positions: [Int]? = nil) {
        var steps = steps
        if let positions, steps.count > 1, case .index(let position) = steps[1] { steps[1] = .index(positions[position]) }
        parts.append(steps)
    }

    /// As a JSON Pointer; empty for no steps.
    var pointer: String { PlistPointerStep.pointer(parts.reversed().flatMap { $0 }) }
}

/// Where a container stands that an `ArchiveResolver` has looked into.
private struct ArchivePlace {
    /// The place of the container around it, by number; the archive's top is place 0.
    let parent: Int
    /// The way from there.
    let steps: [PlistPointerStep]
    /// The archived object that it is for, if it has a number.
    let object: Int?
    /// Where its elements have gone to, if they were put into an order.
    var positions: [Int]?
}
