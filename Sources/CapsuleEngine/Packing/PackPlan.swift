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

    /// Whether a database has a log that was not there when the container was listed: without it, what was read of the
    /// database may be half a transaction.
    ///
    /// - Parameter start: the first bytes of the file.
    func hasUnlistedLog(_ content: any OpenContent, of entry: TreeEntry, startingWith start: UnsafeRawBufferPointer) -> Bool {
        guard self.content.isLive, start.starts(with: DatabaseUnit.magic) else { return false }
        return DatabaseUnit.logSuffixes.contains { suffix in
            content.hasSibling(withSuffix: suffix) && !isListed(entry.path.bytes + suffix, in: entry.root)
        }
    }

    private func isListed(_ path: [UInt8], in root: TreeRoot) -> Bool {
        guard let path = try? RelativePath(validating: path) else { return false }
        return entries.place(of: path, in: root) != nil
    }

    /// About how many bytes an entry of a given size takes in the stream.
    func streamLength(of entry: TreeEntry, size: UInt64) -> Int {
        let long = entry.path.bytes.count > 200 ? entry.path.bytes.count + 1_024 : 0
        let content = entry.kind.hasContent ? Int(clamping: size) : 0
        return content > groupLength ? Int.max : TarHeader.blockLength + long + entry.target.count + (content + 511) / 512 * 512
    }
}
