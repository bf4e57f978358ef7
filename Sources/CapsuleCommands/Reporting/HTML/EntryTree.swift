import CapsuleCore

/// Changed entries in the directories that they are in.
struct EntryTree {
    /// A directory, a changed entry, or both.
    struct Node {
        /// The part of the path below the directory that it is shown in; more than one component where nothing else is there.
        var name: [UInt8]
        /// Its own change.
        var entry: Int?
        var children: [Int] = []
        /// Which classes are at or below it, signal and noise apart: bits by ``EntryClass``.
        var signal: UInt8 = 0
        var noise: UInt8 = 0
        /// Changed entries below it that are no noise.
        var signalCount = 0
    }

    /// Directories in directories. What lies deeper is shown under its whole path: browsers nest elements only so deep.
    static let depthLimit = 48

    private static let slash = UInt8(ascii: "/")

    /// The first is the tree's own directory.
    private(set) var nodes = [Node(name: [])]

    init(_ entries: [EntryChange]) {
        build(entries)
        classify(entries)
        join()
    }

    private mutating func build(_ entries: [EntryChange]) {
        // As a walk meets them: what is in a directory right behind it.
        let order = entries.indices.sorted { Self.isOrdered(entries[$0].path.bytes, before: entries[$1].path.bytes) }
        var open: [Int] = [0]
        for index in order {
            let components = entries[index].path.components
            // All of a path that is too deep is the name of one node.
            let last = max(0, min(components.count, Self.depthLimit) - 1)
            var level = 0
            while level + 1 < open.count, level < last, nodes[open[level + 1]].name.elementsEqual(components[level]) {
                level += 1
            }
            open.removeLast(open.count - 1 - level)
            for component in components[level..<last] { add(Array(component), to: &open) }
            add(Array(components[last...].joined(separator: [Self.slash])), to: &open)
            nodes[open[open.count - 1]].entry = index
        }
    }

    private mutating func add(_ name: [UInt8], to open: inout [Int]) {
        nodes[open[open.count - 1]].children.append(nodes.count)
        open.append(nodes.count)
        nodes.append(Node(name: name))
    }

    /// A node's number is larger than its directory's.
    private mutating func classify(_ entries: [EntryChange]) {
        for number in nodes.indices.reversed() {
            if let index = nodes[number].entry {
                let bit: UInt8 = 1 << UInt8(EntryClass(entries[index]).rawValue)
                if entries[index].isNoise {
                    nodes[number].noise |= bit
                } else {
                    nodes[number].signal |= bit
                    nodes[number].signalCount += 1
                }
            }
            for child in nodes[number].children {
                nodes[number].signal |= nodes[child].signal
                nodes[number].noise |= nodes[child].noise
                nodes[number].signalCount += nodes[child].signalCount
            }
        }
    }

    /// Makes one of directories that hold nothing but another: `Library/Application Support`.
    private mutating func join() {
        for number in nodes.indices.reversed() where number > 0 && nodes[number].entry == nil {
            guard nodes[number].children.count == 1 else { continue }
            let child = nodes[nodes[number].children[0]]
            guard !child.children.isEmpty else { continue }
            let name = nodes[number].name
            nodes[number] = child
            nodes[number].name = name + [Self.slash] + child.name
        }
    }

    /// By components: `a/b` before `a-b`.
    private static func isOrdered(_ left: [UInt8], before right: [UInt8]) -> Bool {
        left.lexicographicallyPrecedes(right) { rank($0) < rank($1) }
    }

    private static func rank(_ byte: UInt8) -> UInt8 { byte == Self.slash ? 0 : byte }
}
