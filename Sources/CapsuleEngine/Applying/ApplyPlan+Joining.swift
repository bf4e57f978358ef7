import CapsuleCore

extension ApplyPlan {
    /// Adds what is to be done in other roots, which are among this plan's already.
    mutating func append(_ other: ApplyPlan) {
        guard !other.changes.isEmpty else { return }
        guard let more = other.source else { return }
        guard let own = source else {
            self = ApplyPlan(
                roots: roots, changes: changes + other.changes, source: more,
                directoryTimes: directoryTimes.merging(other.directoryTimes) { first, _ in first })
            return
        }
        let first = own.entries.count
        var joined = own
        joined.entries += more.entries
        let added = more.entries.indices.map { number in
            OverlaidContent.Source.opened { () throws(CapsuleError) in
                try more.content.open(more.entries[number], number: number)
            }
        }
        joined.content = OverlaidContent(
            own.piecewiseContent, sources: own.entries.indices.map { .own($0) } + added, entries: joined.entries)
        source = joined
        changes += other.changes.map { change in
            guard let wanted = change.wanted, case .file(let number) = wanted.content else { return change }
            return Change(
                place: change.place, present: change.present,
                wanted: Wanted(entry: wanted.entry, content: .file(first + number)))
        }
        directoryTimes.merge(other.directoryTimes) { first, _ in first }
    }
}
