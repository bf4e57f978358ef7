import CapsuleCore

/// The contents that an overlay carries, as those of entries that have their digests.
struct CarriedProvider: ContentProvider {
    let contents: (any CarriedContents)?

    /// What is read is compared with the digest: nothing has to be looked at twice.
    var isLive: Bool { false }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if entry.size == 0 { return InMemoryContent([], as: entry) }
        guard let content = try contents?.open(entry.digest, size: entry.size) else {
            throw CapsuleError("the overlay does not contain its content", path: HostPath(entry.path.bytes))
        }
        return StatedContent(content, as: entry)
    }
}
