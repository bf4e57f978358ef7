/// Builds a tree from the graph of a keyed archive, with an explicit stack, converting every object once.
///
/// The result for an object is reused wherever the object occurs again, unless it contains a reference to something outside of it.
/// Such an object belongs to a cycle, and other references to it must point to its place. (`KeyedArchive.resolved`)
struct ArchiveResolver: ~Copyable {
    private static let comparedBytesLimit = 1 << 28

    /// The state of an object.
    private enum State {
        case unknown
        case open(frame: Int)
        case closed(ArchiveNode)
    }

    /// The number of repeated values for each value that the archive itself has. Archivers share objects, such as the attributes of
    /// texts.
    private static let repeatedForEach = 16
    /// A bound for sums of repeated values, which keeps them from overflowing.
    private static let mostRepeated = 1 << 40

    private let archive: KeyedArchive
    private let limits: PlistLimits
    private var states: [State]
    private var places: [ArchivePlace] = []
    private var objectPlaces: [Int]
    /// The number of values in the containers that were visited. Each object is visited once.
    private var visited = 0
    private var repeated = 0
    private var pointerBytes = 0
    private var keyBytes = 0
    private var comparedBytes = 0
    private var frames: [ArchiveFrame] = []
    private var nodes: [ArchiveNode] = []

    init(_ archive: KeyedArchive, limits: PlistLimits) {
        self.archive = archive
        self.limits = limits
        states = [State](repeating: .unknown, count: archive.objects.count)
        objectPlaces = [Int](repeating: 0, count: archive.objects.count)
    }

    consuming func resolve() throws(PlistError) -> PlistValue {
        do throws(PlistError) {
            try open(ArchiveFrame(dictionary: archive.top, depth: 0))
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

    private mutating func add(_ child: PlistValue) throws(PlistError) {
        switch child {
        case .uid(let uid):
            try add(object: Int(clamping: uid))
        case .array(let elements):
            try open(ArchiveFrame(elements: elements, depth: childDepth))
        case .dictionary(let dictionary):
            try open(ArchiveFrame(dictionary: dictionary, depth: childDepth))
        default:
            push(ArchiveNode(scalar: child))
        }
    }

    private mutating func add(object number: Int) throws(PlistError) {
        switch states[number] {
        case .closed(let node) where node.isSelfContained:
            try countRepetition(node.weight - 1)
            try append(node)
        case .closed:
            try refer(to: number)
        case .open(let frame):
            try refer(toDepth: frames[frame].depth, by: ArchiveWay())
        case .unknown:
            let object = archive.objects[number]
            if let frame = try container(of: object) {
                objectPlaces[number] = places.count
                states[number] = .open(frame: frames.count)
                try open(frame, object: number)
            } else {
                let node = ArchiveNode(scalarOf: object)
                states[number] = .closed(node)
                try append(node)
            }
        }
    }

    private mutating func countRepetition(_ weight: Int) throws(PlistError) {
        let allowed = min(limits.expandedValues, Self.mostRepeated) + Self.repeatedForEach * visited
        guard weight <= allowed - repeated else {
            throw PlistError(.limitExceeded, "the keyed archive repeats objects too often")
        }
        repeated += weight
    }

    private mutating func container(of object: ArchivedObject) throws(PlistError) -> ArchiveFrame? {
        switch object.content {
        case .value(.array(let elements)):
            return ArchiveFrame(elements: elements, depth: childDepth)
        case .value(.dictionary(let dictionary)):
            return ArchiveFrame(dictionary: dictionary, depth: childDepth)
        case .null, .value:
            return nil
        case .array(let elements):
            let className: PlistString? = object.className?.string.hasSuffix("OrderedSet") == true ? "NSOrderedSet" : nil
            return ArchiveFrame(elements: elements, of: className, depth: childDepth)
        case .set(let elements):
            return ArchiveFrame(elements: elements, of: "NSSet", isOrdered: false, depth: childDepth)
        case .dictionary(let keys, let values):
            return ArchiveFrame(keys: keys, values: values, names: try names(of: keys), depth: childDepth)
        case .fields(let fields):
            return ArchiveFrame(fields: fields, of: object.className ?? "", depth: childDepth)
        }
    }

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

    /// Counts the bytes of a key. Many dictionaries can share one long key, which is compared in each of them.
    private mutating func countKey(bytes: Int) throws(PlistError) {
        keyBytes += bytes
        guard keyBytes <= limits.binaryKeyBytes else {
            throw PlistError(.limitExceeded, "the keyed archive's keys take more than \(limits.binaryKeyBytes) bytes")
        }
    }

    private mutating func append(_ node: ArchiveNode) throws(PlistError) {
        guard childDepth + node.height <= limits.depth else { throw depthFailure }
        push(node)
    }

    private mutating func push(_ node: ArchiveNode) {
        nodes.append(node)
        guard let last = frames.indices.last else { return }
        frames[last].height = max(frames[last].height, node.height)
        frames[last].low = min(frames[last].low, node.low)
        frames[last].weight += node.weight
    }

    private mutating func open(_ frame: ArchiveFrame, object: Int? = nil) throws(PlistError) {
        guard frame.depth + frame.levels <= limits.depth else { throw depthFailure }
        visited += frame.children.count
        try countKey(bytes: frame.keyBytes)
        let parent = frames.last
        frames.append(frame)
        frames[frames.count - 1].place = places.count
        places.append(
            ArchivePlace(parent: parent?.place ?? 0, steps: parent.map { $0.steps(to: $0.begun - 1) } ?? [], object: object))
        frames[frames.count - 1].base = nodes.count
        frames[frames.count - 1].object = object
    }

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
        }
        push(node)
    }

    private var childDepth: Int { frames.last.map { $0.depth + $0.levels } ?? 0 }

    private var depthFailure: PlistError {
        PlistError(.limitExceeded, "the keyed archive's objects nest deeper than \(limits.depth) levels")
    }

    private var steps: [PlistPointerStep] { frames.flatMap { $0.begun > 0 ? $0.steps(to: $0.begun - 1) : [] } }
}

/// Creates references to objects that are not complete yet, or that belong to a cycle.
extension ArchiveResolver {
    /// The maximum number of bytes in all pointers to objects of cycles.
    private static let pointerBytesLimit = 1 << 26

    private mutating func refer(to number: Int) throws(PlistError) {
        var way = ArchiveWay()
        var next = objectPlaces[number]
        while next > 0 {
            let place = places[next]
            let parent = places[place.parent]
            if let object = parent.object, case .open(let frame) = states[object] {
                // The path includes the child's position, which must not change anymore.
                frames[frame].isPassed = true
                way.prepend(place.steps)
                return try refer(toDepth: frames[frame].depth, by: way)
            }
            way.prepend(place.steps, moved: parent.positions)
            next = place.parent
        }
        try refer(toDepth: 0, by: way)
    }

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
    /// The content of an object if its class can be omitted; otherwise no fields, which never match a string.
    fileprivate var nakedContent: Content { isNatural ? content : .fields([:]) }
}

/// A path down to an archived object, assembled from its end.
private struct ArchiveWay {
    private var parts: [[PlistPointerStep]] = []

    /// Prepends the steps from a container to a child. If the container's elements were reordered, the step to an element uses its
    /// new position.
    mutating func prepend(_ steps: [PlistPointerStep], moved positions: [Int]? = nil) {
        var steps = steps
        if let positions, steps.count > 1, case .index(let position) = steps[1] { steps[1] = .index(positions[position]) }
        parts.append(steps)
    }

    var pointer: String { PlistPointerStep.pointer(parts.reversed().flatMap { $0 }) }
}

/// The place of a container that an `ArchiveResolver` has visited.
private struct ArchivePlace {
    /// The index of the place of the surrounding container. The archive's top is place 0.
    let parent: Int
    let steps: [PlistPointerStep]
    let object: Int?
    var positions: [Int]?
}
