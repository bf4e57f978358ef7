import CapsuleCore
import TestSupport

extension SeededGenerator {
    /// Few names, so that trees have paths in common. Some are not UTF-8, not XML text, or sort between a directory and its
    /// contents.
    private static let names: [[UInt8]] = [
        Array("a".utf8), Array("b".utf8), Array("a-b".utf8), Array("a.sqlite".utf8), Array("a.sqlite-wal".utf8), Array("é".utf8),
        Array("e\u{301}".utf8), [0xFF, 0x80], [0x01], Array("x\ny".utf8), Array("\u{FFFE}".utf8), Array(" ".utf8),
        Array("...".utf8),
    ]

    /// Returns a tree of all kinds of entries.
    mutating func tree(depth: Int = 3) throws -> TreeModel {
        var tree = TreeModel()
        try fill(.root, &tree, depth)
        return tree
    }

    private mutating func fill(_ directory: RelativePath, _ tree: inout TreeModel, _ depth: Int) throws {
        for _ in 0..<number(0...4) {
            let path = try directory.appending(pick(Self.names))
            guard tree.nodes[path] == nil else { continue }
            let node = node(isLeaf: depth == 0)
            tree.nodes[path] = node
            if node.kind == .directory { try fill(path, &tree, depth - 1) }
        }
    }

    mutating func node(isLeaf: Bool = false) -> TreeModel.Node {
        var node: TreeModel.Node =
            switch number(isLeaf ? 1...5 : 0...5) {
            case 0: .directory(pick([0o755, 0o700, 0o1777]))
            case 1: .link(pick([[0xFE], Array("a".utf8), Array("../b".utf8)]))
            default: .file(content(), pick([0o644, 0o600, 0o400]))
            }
        if isLucky(oneIn: 4) { node.attributes = attributes() }
        return node
    }

    mutating func attributes() -> [ExtendedAttribute] {
        let names = [Array("com.apple.a".utf8), Array("user.b".utf8), [0xFF, 0x01]].filter { _ in isLucky(oneIn: 2) }
        return names.map { ExtendedAttribute(name: $0, value: bytes(number(0...3))) }
    }

    /// Returns some bytes. Some contents share ranges.
    mutating func content() -> [UInt8] {
        (0..<number(0...6)).flatMap { _ in [UInt8](repeating: UInt8(number(0...5)), count: number(1...4)) }
    }

    /// Returns the tree after some changes: entries are deleted, added, changed, moved, swapped or replaced by another kind, and
    /// directories are renamed.
    mutating func changed(_ tree: TreeModel) throws -> TreeModel {
        var tree = tree
        for _ in 0..<number(0...6) {
            guard let path = tree.nodes.keys.sorted().randomElement(using: &self) else { break }
            switch number(0...7) {
            case 0: Self.take(path, from: &tree)
            case 1:
                Self.take(path, from: &tree)
                tree.nodes[path] = node()
            case 2: tree.nodes[path]?.attributes = attributes()
            case 3: if tree.nodes[path]?.kind != .link { tree.nodes[path]?.mode = FileMode(pick([0o700, 0o750])) }
            case 4:
                guard var file = tree.nodes[path], file.kind == .file else { continue }
                file.bytes = edited(file.bytes)
                tree.nodes[path] = file
            case 5:
                // Entries are swapped, for example a directory and a file.
                let other = pick(tree.nodes.keys.sorted())
                guard !path.isAtOrBelow(other), !other.isAtOrBelow(path) else { continue }
                let (one, two) = (Self.take(path, from: &tree), Self.take(other, from: &tree))
                Self.put(one, at: other, in: &tree)
                Self.put(two, at: path, in: &tree)
            case 6:
                let moved = Self.take(path, from: &tree)
                let directories = [RelativePath.root] + tree.nodes.filter { $0.value.kind == .directory }.keys.sorted()
                let place = try pick(directories).appending(pick(Self.names))
                Self.take(place, from: &tree)
                Self.put(moved, at: place, in: &tree)
            default:
                if tree.nodes[path]?.kind == .directory { try fill(path, &tree, 1) }
            }
        }
        return tree
    }

    /// Returns other bytes that have much in common with these.
    mutating func edited(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let start = number(0...bytes.count)
        bytes.replaceSubrange(start..<min(bytes.count, start + number(0...3)), with: content().prefix(number(0...5)))
        return bytes
    }

    @discardableResult
    private static func take(_ path: RelativePath, from tree: inout TreeModel) -> [(below: RelativePath, node: TreeModel.Node)] {
        let inner = tree.nodes.keys.filter { $0.isAtOrBelow(path) }
        return inner.compactMap { inner in
            guard let below = inner.relative(to: path), let node = tree.nodes.removeValue(forKey: inner) else { return nil }
            return (below, node)
        }
    }

    private static func put(
        _ nodes: [(below: RelativePath, node: TreeModel.Node)], at path: RelativePath, in tree: inout TreeModel
    ) {
        for (below, node) in nodes { tree.nodes[RelativePath(joining: path.bytes, below)] = node }
    }
}
