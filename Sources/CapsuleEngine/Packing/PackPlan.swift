import CapsuleArchive
import CapsuleCore

/// What all threads of a pack share.
struct PackPlan: Sendable {
    /// In the order of the index.
    let entries: EntryTable
    /// The places of ``entries`` in the order of the stream.
    let order: [UInt32]
    let names: StreamNames
    let content: any ContentProvider
    /// How many bytes of stream a group, or a slice of a large file, has at most.
    let groupLength: Int
    let skipsUnreadable: Bool

    /// - Parameter entries: the container's.
    init(_ container: OpenedContainer, entries: EntryTable, groupLength: Int, skipsUnreadable: Bool) {
        names = StreamNames(name: container.name, layout: container.layout)
        self.entries = entries
        order = names.order(of: entries)
        content = container.content
        self.groupLength = groupLength
        self.skipsUnreadable = skipsUnreadable
    }

    /// About how many bytes an entry of a given size takes in the stream.
    func streamLength(of entry: TreeEntry, size: UInt64) -> Int {
        let long = entry.path.bytes.count > 200 ? entry.path.bytes.count + 1_024 : 0
        let content = entry.kind.hasContent ? Int(clamping: size) : 0
        return content > groupLength ? Int.max : TarHeader.blockLength + long + entry.target.count + (content + 511) / 512 * 512
    }
}
