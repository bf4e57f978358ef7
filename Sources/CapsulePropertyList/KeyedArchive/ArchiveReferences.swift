/// Finds references of a keyed archive to objects that there are not, in time linear in what it holds.
struct ArchiveReferences: ~Copyable {
    private struct Frame {
        let container: PlistValue
        /// How many children have been looked at.
        var begun = 0
    }

    private let objects: Int
    private var frames: [Frame] = []
    /// The storage of containers that have been looked into: shared ones are looked into once.
    private var visited: Set<UInt> = []

    private init(objects: Int) {
        self.objects = objects
    }

    /// Throws `damaged`, with the pointer, for a UID that is not below the number of objects.
    static func check(_ archive: PlistValue, objects: Int) throws(PlistError) {
        var references = ArchiveReferences(objects: objects)
        do throws(PlistError) {
            try references.visit(archive)
            while let frame = references.frames.last { try references.visitChildren(of: frame) }
        } catch {
            throw error.pointing(to: references.steps)
        }
    }

    private mutating func visit(_ value: PlistValue) throws(PlistError) {
        switch value {
        case .uid(let uid):
            guard uid < objects else { throw PlistError(.damaged, "no object has the UID \(uid)") }
        case .array(let elements):
            if visited.insert(elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }).inserted {
                frames.append(Frame(container: value))
            }
        case .dictionary(let dictionary):
            if visited.insert(dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }).inserted {
                frames.append(Frame(container: value))
            }
        default:
            break
        }
    }

    /// Looks at a container's children up to one that has children itself.
    private mutating func visitChildren(of frame: Frame) throws(PlistError) {
        let depth = frames.count
        let count = frame.container.array?.count ?? frame.container.dictionary?.count ?? 0
        for position in frame.begun..<count {
            frames[depth - 1].begun = position + 1
            switch frame.container {
            case .array(let elements): try visit(elements[position])
            case .dictionary(let dictionary): try visit(dictionary[position].value)
            default: break
            }
            if frames.count > depth { return }
        }
        frames.removeLast()
    }

    private var steps: [PlistPointerStep] {
        frames.compactMap { frame in
            guard frame.begun > 0 else { return nil }
            switch frame.container {
            case .dictionary(let dictionary): return .key(dictionary[frame.begun - 1].key)
            default: return .index(frame.begun - 1)
            }
        }
    }
}
