import CapsuleCore
import CapsuleOverlay
import TestSupport

/// A tree with its bytes in memory, for testing the laws of file records.
struct TreeModel: Equatable {
    /// An entry without its path.
    struct Node: Equatable {
        var kind: EntryKind
        var mode: FileMode
        var attributes: [ExtendedAttribute] = []
        var target: [UInt8] = []
        var bytes: [UInt8] = []

        static func directory(_ mode: Int = 0o755) -> Node { Node(kind: .directory, mode: FileMode(mode)) }

        static func file(_ bytes: [UInt8], _ mode: Int = 0o644) -> Node {
            Node(kind: .file, mode: FileMode(mode), bytes: bytes)
        }

        static func link(_ target: [UInt8]) -> Node { Node(kind: .link, mode: .link, target: target) }
    }

    /// An error for a step that would break a law.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    var nodes: [RelativePath: Node] = [:]

    /// The entries in the order of the index. Their times have no meaning.
    var entries: [TreeEntry] {
        nodes.keys.sorted().compactMap { path in nodes[path].map { Self.entry(path, $0) } }
    }

    var side: TreeSide { TreeSide(entries) }

    static func entry(_ path: RelativePath, _ node: Node) -> TreeEntry {
        TreeEntry(
            path: path, kind: node.kind, mode: node.mode, modified: Timestamp(seconds: -5), size: UInt64(node.bytes.count),
            digest: node.kind == .file ? Self.digest(of: node.bytes) : .zero, target: node.target, attributes: node.attributes)
    }

    /// Returns a substitute for SHA-256, which the core does not have: different bytes have different digests.
    static func digest(of bytes: [UInt8]) -> ContentDigest {
        var words = [UInt64](repeating: 0x9E37_79B9_7F4A_7C15, count: 4)
        for word in words.indices {
            words[word] &+= UInt64(word) &+ UInt64(bytes.count)
            for byte in bytes { words[word] = (words[word] ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 ^ words[word] >> 29 }
        }
        return ContentDigest { room in
            for (number, word) in words.enumerated() { room.storeBytes(of: word, toByteOffset: 8 * number, as: UInt64.self) }
        }
    }

    /// Returns the tree that results from applying records to this one.
    ///
    /// - Parameter contents: the carried bytes, by their digests.
    func applying(_ records: [FileRecord], contents: [ContentDigest: [UInt8]]) throws -> TreeModel {
        var result = self
        for record in records {
            let present = nodes[record.path]
            switch record.applicability(of: present.map { Self.entry(record.path, $0) }) {
            case .new: break
            case .drifted: throw Refusal(description: "\(record.path) is neither as it was nor as it is to be")
            case .old:
                result.nodes[record.path] = try record.new.map { try Self.node($0, of: present, record.path, contents) }
            }
        }
        for path in result.nodes.keys {
            guard let parent = path.parent, !parent.isRoot else { continue }
            guard result.nodes[parent]?.kind == .directory else { throw Refusal(description: "\(path) is in no directory") }
        }
        return result
    }

    private static func node(
        _ state: FileState, of present: Node?, _ path: RelativePath, _ contents: [ContentDigest: [UInt8]]
    ) throws -> Node {
        let kept = present?.kind == state.kind ? present : nil
        var node = Node(
            kind: state.kind, mode: state.kind == .link ? .link : state.mode ?? kept?.mode ?? FileMode(0o700),
            attributes: state.attributes ?? kept?.attributes ?? [], target: state.target, bytes: kept?.bytes ?? [])
        guard let content = state.content, kept == nil || digest(of: node.bytes) != content.digest else { return node }
        node.bytes = try bytes(of: content, from: present?.bytes ?? [], path, contents)
        return node
    }

    /// Returns a content by its digest, or by its recipe.
    static func bytes(
        of content: FileState.Content, from other: [UInt8], _ path: RelativePath, _ contents: [ContentDigest: [UInt8]]
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let recipe = content.recipe {
            guard let carried = contents[recipe.carried] else {
                throw Refusal(description: "\(path): what is carried is not there")
            }
            var used = 0
            for piece in recipe.pieces {
                switch piece {
                case .copied(let offset, let length): bytes += other[Int(offset)..<Int(offset + length)]
                case .carried(let length):
                    bytes += carried[used..<used + Int(length)]
                    used += Int(length)
                }
            }
            guard used == carried.count else { throw Refusal(description: "\(path): more is carried than is used") }
        } else {
            guard let whole = contents[content.digest] else { throw Refusal(description: "\(path) is not carried") }
            bytes = whole
        }
        guard bytes.count == content.size, digest(of: bytes) == content.digest else {
            throw Refusal(description: "\(path): other bytes came than were said")
        }
        return bytes
    }
}
