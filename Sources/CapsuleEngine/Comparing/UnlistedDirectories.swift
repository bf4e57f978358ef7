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

    /// Says of each directory that it is not known whether what is in it differs.
    func note(in outcomes: inout [EntryComparer.Outcome]) {
        for (side, name) in [(old, HandlerFallback.Side.a), (new, .b)] {
            for (path, reason) in side.unlisted {
                let fallback = ChangeDetail(
                    .fallback(
                        HandlerFallback(
                            side: name, from: HandlerFallback.content, to: HandlerFallback.nothing,
                            reason: "can't be listed: \(reason)")))
                if let place = outcomes.firstIndex(where: { $0.change.path == path }) {
                    outcomes[place].change.details.append(fallback)
                    outcomes[place].isComplete = false
                } else {
                    outcomes.append((EntryChange(.modified, at: path, details: [fallback]), false))
                }
            }
        }
    }
}
