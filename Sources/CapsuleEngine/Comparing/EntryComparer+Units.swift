import CapsuleCore

extension EntryComparer {
    /// The places of two databases that are to be compared as such; nil where there are none.
    func databases(of group: UnitGrouping.Group) -> (old: Int, new: Int)? {
        let places = group.database ?? (group.item?.old, group.item?.new)
        guard let oldPlace = places.old, let newPlace = places.new,
            group.item.map({ $0.hasOtherContent && $0.kind != .type }) ?? true || !group.members.isEmpty,
            old.isDatabase(oldPlace), new.isDatabase(newPlace)
        else { return nil }
        return (oldPlace, newPlace)
    }

    /// Compares two units by what their databases hold.
    func compareUnit(
        _ group: UnitGrouping.Group, _ oldPlace: Int, _ newPlace: Int
    ) throws(CapsuleError) -> [Outcome] {
        let changed = Set(group.members.flatMap { [old.path($0.old), new.path($0.new)] }.compactMap { $0 })
        let found: DatabaseUnits.Finding
        do throws(HandlerFailure) {
            found = try DatabaseUnits(old, new, options, judge).compare(oldPlace, newPlace, changed: changed)
        } catch {
            switch error {
            case .stopped(let error):
                if error.code == .interrupted { throw error }
                // Its files one by one don't show it: what only one side has, as its log may be, is not read.
                let unread = HandlerFallback(
                    side: .both, from: HandlerFallback.content, to: ContentKind.bytes.rawValue,
                    reason: "can't be copied for reading: \(error.message)")
                return try parts(of: group, unread).map { ($0.change, false) }
            case .unfit(let side, let reason):
                return try parts(of: group, HandlerFallback(side: side, from: "sqlite", to: "bytes", reason: reason))
            }
        }
        guard var change = change(of: group) else { return [] }
        change.handler = found.content.handler
        change.unshown = found.content.unshown
        change.tables = found.content.tables
        change.details = found.content.details + (group.item?.metadata ?? []).map { ChangeDetail(.metadata($0)) }
        change.details += memberMetadata(of: group)
        change.companions = companions(of: group)
        var outcomes: [Outcome] = [(change, found.content.isComplete)]
        // Files of external blobs that no row speaks of are nobody's but their own.
        var compared = found.external
        for path in found.external {
            var parent = path.parent
            while let directory = parent, compared.insert(directory).inserted { parent = directory.parent }
        }
        for member in group.members where isOwn(member, compared) {
            if let outcome = try compare(member) { outcomes.append(outcome) }
        }
        return outcomes
    }

    /// The unit's other files whose content differs. The index of a log in shared memory (`-shm`) holds nothing of its own.
    private func companions(of group: UnitGrouping.Group) -> [RelativePath] {
        let differing = group.members.filter { $0.hasOtherContent || $0.kind != .modified }
        let paths = differing.compactMap { new.path($0.new) ?? old.path($0.old) }
        return paths.filter { !$0.name.suffix(4).elementsEqual("-shm".utf8) }.sorted { $0 < $1 }
    }

    /// Whether a unit's file is told by itself although the database was compared.
    ///
    /// - Parameter compared: the files that rows speak of, and the directories around them.
    private func isOwn(_ member: TreeDiff.Item, _ compared: Set<RelativePath>) -> Bool {
        guard let path = new.path(member.new) ?? old.path(member.old) else { return false }
        if DatabaseUnit.companionSuffixes.contains(where: { path.name.suffix($0.count).elementsEqual($0) }) { return false }
        return !compared.contains(path)
    }

    /// The unit's files one by one, where it can't be compared as one.
    private func parts(of group: UnitGrouping.Group, _ fallback: HandlerFallback) throws(CapsuleError) -> [Outcome] {
        var outcomes: [Outcome] = []
        var fallbacks = [fallback]
        for item in [group.item].compactMap({ $0 }) + group.members {
            if let outcome = try compare(item, after: fallbacks) {
                outcomes.append(outcome)
                if outcome.change.details.contains(where: { $0.content == .fallback(fallback) }) { fallbacks = [] }
            }
        }
        // Where nothing that differs is looked into, as where a log was added.
        if !fallbacks.isEmpty, !outcomes.isEmpty { outcomes[0].change.details.insert(ChangeDetail(.fallback(fallback)), at: 0) }
        return outcomes
    }

    /// The unit's own change, without details.
    func change(of group: UnitGrouping.Group) -> EntryChange? {
        let places = group.database ?? (group.item?.old, group.item?.new)
        let (before, after) = (places.old.map { old.tree.entries[$0] }, places.new.map { new.tree.entries[$0] })
        guard before != nil || after != nil else { return nil }
        return Self.change(group.item?.kind ?? .modified, before, after)
    }

    /// What differs beside the content in the unit's other files.
    func memberMetadata(of group: UnitGrouping.Group) -> [ChangeDetail] {
        group.members.flatMap { member in
            member.metadata.map { change in
                var change = change
                change.member = new.path(member.new)
                return ChangeDetail(.metadata(change))
            }
        }
    }
}

extension ComparedSide {
    /// The path of an entry.
    fileprivate func path(_ place: Int?) -> RelativePath? { place.map { tree.entries[$0].path } }
}
