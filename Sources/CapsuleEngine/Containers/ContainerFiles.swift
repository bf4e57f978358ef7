package import CapsuleCore

/// The files of a container of any form, as those read them who compare contents.
package struct ContainerFiles: Sendable {
    private let opened: OpenedContainer

    /// Lists a container, or an overlay capsule.
    package init(_ container: Container) throws(CapsuleError) {
        opened = try container.openLeniently()
    }

    /// In the order of the index, with what is around the tree.
    package var entries: [TreeEntry] { opened.entries }

    /// A file's bytes from an offset to its end.
    ///
    /// - Parameter number: its place in ``entries``.
    /// - Throws: also for bytes that do not agree with the digest that a capsule has for them.
    package func bytes(of number: Int, from offset: UInt64 = 0) throws(CapsuleError) -> [UInt8] {
        let entry = opened.entries[number]
        let content = try opened.content.open(entry, number: number)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(entry.size - min(offset, entry.size)), alignment: 1)
        defer { room.deallocate() }
        let count = try content.read(at: offset, into: room)
        return Array(room.prefix(count))
    }
}
