import CapsuleCore

/// Directories of two sides that could not be listed: what lies in them on the other side is neither added nor deleted.
struct UnlistedDirectories {
    let old: ComparedSide
    let new: ComparedSide

    /// Without what is only missing because nobody could look.
    func known(_ items: [TreeDiff.Item]) -> [TreeDiff.Item] {
        if old.unlisted.isEmpty, new.unlisted.isEmpty { return items }
        return items.filter { item in
            switch (item.old, item.new) {
            case (let place?, nil): !Self.isBelow(old.tree.entries[place].path, new.unlisted)
            case (nil, let place?): !Self.isBelow(new.tree.entries[place].path, old.unlisted)
            default: true
            }
        }
    }

    private static func isBelow(_ path: RelativePath, _ directories: [RelativePath: String]) -> Bool {
        if directories.isEmpty { return false }
        var parent = path.parent
        while let directory = parent {
            if directories[directory] != nil { return true }
            parent = directory.parent
        }
        return false
    }

    /// A change for each directory, which says that it is not known whether there is one.
    var changes: [EntryComparer.Outcome] {
        var changes = Self.changes(old, .a)
        changes += Self.changes(new, .b)
        return changes
    }

    private static func changes(_ side: ComparedSide, _ name: HandlerFallback.Side) -> [EntryComparer.Outcome] {
        side.unlisted.map { path, reason in
            let fallback = HandlerFallback(side: name, from: HandlerFallback.content, to: "none", reason: reason)
            return (EntryChange(.modified, at: path, details: [ChangeDetail(.fallback(fallback))]), false)
        }
    }
}
