import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay

@testable import CapsuleEngine

/// A tree in memory to which an overlay's records are applied in the simplest possible way, as a reference for the real
/// implementation.
struct OverlayModel {
    struct Node: Equatable {
        var state: FileState
        var bytes: [UInt8] = []
    }

    private(set) var nodes: [RelativePath: Node] = [:]

    /// Reads everything that is compared in a container.
    init(_ path: String) throws {
        var opened = try Container(Array(path.utf8)).open(ContainerOptions())
        if !opened.isDigested { _ = try EntryDigester(jobs: 1).complete(&opened) }
        let content = opened.contents
        for (number, entry) in opened.entries.enumerated() where entry.isCompared {
            let side = SideEntry(entry: entry) { () throws(CapsuleError) in try content.open(entry, number: number) }
            var state = side.state
            state.modified = nil
            let bytes = entry.kind == .file ? try Self.bytes(of: side.open(), entry.size) : []
            nodes[entry.path] = Node(state: state, bytes: bytes)
        }
    }

    /// Applies the record of each path. Every old state must be present, and every content must have its digest.
    mutating func apply(_ package: OverlayPackage) throws {
        let before = nodes
        for record in package.overlay.files {
            let (old, there) = (record.old, before[record.path])
            guard old?.kind == there?.state.kind, old?.content?.digest == there?.state.content?.digest,
                old?.target == there?.state.target
            else { throw CapsuleError("is not as the record says", path: HostPath(record.path.bytes)) }
            guard var state = record.new else {
                nodes[record.path] = nil
                continue
            }
            let bytes = try Self.content(of: record, there?.bytes ?? [], package)
            let isSound = state.content.map { $0.digest == SHA256Hasher.digest(of: bytes) && $0.size == UInt64(bytes.count) }
            guard isSound ?? true else {
                throw CapsuleError("has other bytes than its record says", path: HostPath(record.path.bytes))
            }
            state.modified = nil
            state.content?.recipe = nil
            nodes[record.path] = Node(state: state, bytes: bytes)
        }
    }

    private static func content(of record: FileRecord, _ old: [UInt8], _ package: OverlayPackage) throws -> [UInt8] {
        guard let content = record.new?.content, content.size > 0 else { return [] }
        if record.old?.content?.digest == content.digest { return old }
        let entry = TreeEntry(
            path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch, size: UInt64(old.count))
        let other = SideEntry(entry: entry) { () throws(CapsuleError) in InMemoryContent(old, as: entry) }
        guard let made = try content.open(in: package.contents, from: record.old == nil ? nil : other) else {
            throw CapsuleError("the overlay does not contain its new content", path: HostPath(record.path.bytes))
        }
        return try bytes(of: made, content.size)
    }

    static func bytes(of content: any OpenContent, _ size: UInt64) throws -> [UInt8] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, Int(size)), alignment: 1)
        defer { room.deallocate() }
        let count = try content.read(at: 0, into: UnsafeMutableRawBufferPointer(rebasing: room[..<Int(size)]))
        return Array(room[..<count])
    }

    /// Returns the paths at which two trees differ.
    func differences(from other: OverlayModel) -> [String] {
        Set(nodes.keys).union(other.nodes.keys).filter { nodes[$0] != other.nodes[$0] }.map(\.description).sorted()
    }
}
