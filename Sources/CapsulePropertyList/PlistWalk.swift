/// Goes through a value in the order in which a text holds it, on an explicit stack.
struct PlistWalk: ~Copyable {
    enum Visit {
        /// A scalar, or a container with nothing in it.
        case leaf(PlistValue)
        /// A container with something in it, which comes next.
        case open(PlistValue)
        /// The end of the container that was opened last.
        case close(PlistValue)
    }

    private struct Frame {
        let container: PlistValue
        /// How many children have been begun.
        var begun = 0
    }

    private var root: PlistValue?
    private let depth: Int
    /// How many containers are around the root.
    private let outerDepth: Int
    private var frames: [Frame] = []
    /// The key of the value just visited, if it is a dictionary's and not its close.
    private(set) var key: PlistString?

    init(_ root: PlistValue, limits: PlistLimits, outerDepth: Int) {
        self.root = root
        depth = limits.depth
        self.outerDepth = outerDepth
    }

    /// Whether the value just visited is the first one in its container.
    var isFirst: Bool { frames.last.map { $0.begun == 1 } ?? true }

    /// What comes next; nil at the end. Throws `limitExceeded` at a container that is too deep.
    mutating func next() throws(PlistError) -> Visit? {
        guard let frame = frames.last else {
            guard let value = root else { return nil }
            root = nil
            return try visit(value)
        }
        let position = frame.begun
        switch frame.container {
        case .array(let elements) where position < elements.count:
            frames[frames.count - 1].begun += 1
            key = nil
            return try visit(elements[position])
        case .dictionary(let dictionary) where position < dictionary.count:
            frames[frames.count - 1].begun += 1
            key = dictionary.entries[position].key
            return try visit(dictionary.entries[position].value)
        default:
            frames.removeLast()
            return .close(frame.container)
        }
    }

    /// Opens a container just visited, whose children come next.
    mutating func enter(_ container: PlistValue) {
        frames.append(Frame(container: container))
    }

    private func visit(_ value: PlistValue) throws(PlistError) -> Visit {
        let isEmpty: Bool
        switch value {
        case .array(let elements): isEmpty = elements.isEmpty
        case .dictionary(let dictionary): isEmpty = dictionary.isEmpty
        default: return .leaf(value)
        }
        guard outerDepth + frames.count < depth else { throw PlistTextStack.depthFailure(depth, at: nil) }
        return isEmpty ? .leaf(value) : .open(value)
    }

    /// The way to the value just visited.
    var steps: [PlistPointerStep] {
        frames.compactMap { frame in
            guard frame.begun > 0 else { return nil }
            switch frame.container {
            case .dictionary(let dictionary): return .key(dictionary[frame.begun - 1].key)
            default: return .index(frame.begun - 1)
            }
        }
    }
}
