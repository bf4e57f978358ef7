import CapsuleCore

/// What one of two trees has at a path.
struct SideEntry: Sendable {
    /// With digest and attributes; its path and root are not looked at.
    var entry: TreeEntry
    /// Whether its mode is known: an archive may have none.
    var hasMode = true
    /// Whether its attributes are known.
    var hasAttributes = true
    /// Opens a file; asked of any thread, and not at all for what has no content.
    var open: @Sendable () throws(CapsuleError) -> any OpenContent

    /// As a record says it, without how its content comes to be.
    var state: FileState {
        FileState(
            kind: entry.kind, mode: hasMode && entry.kind != .link ? entry.mode : nil, modified: entry.modified,
            attributes: hasAttributes && entry.kind != .link ? entry.attributes : nil, target: entry.target,
            content: entry.kind == .file ? FileState.Content(size: entry.size, digest: entry.digest) : nil)
    }

    /// Whether two entries are the same as far as both are known; times don't count.
    func isSame(as other: SideEntry) -> Bool {
        guard entry.kind == other.entry.kind, entry.target == other.entry.target, !isOtherContent(than: other) else {
            return false
        }
        if entry.kind == .link { return true }
        if hasMode, other.hasMode, entry.mode != other.entry.mode { return false }
        return !hasAttributes || !other.hasAttributes || entry.attributes == other.entry.attributes
    }

    /// Whether it is a file as the other is, with other bytes.
    func isOtherContent(than other: SideEntry) -> Bool {
        entry.kind == .file && other.entry.kind == .file
            && (entry.size != other.entry.size || entry.digest != other.entry.digest)
    }
}
