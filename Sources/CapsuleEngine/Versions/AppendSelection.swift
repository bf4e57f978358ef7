import CapsuleArchive
import CapsuleCore

/// What of a container has to be read for a new version, and where the capsule has the rest.
struct AppendSelection {
    let additions: PackPlan.Additions
    /// By the entries' places; all others that are not read have no content, or that of the base.
    let places: [Int: [StoredExtent]]
    /// For each entry, whether it is read.
    let isRead: [Bool]

    /// - Parameters:
    ///   - base: it was compared with the container's entries.
    ///   - damaged: members that nothing is to rely on.
    init(
        _ opened: OpenedContainer, after history: CapsuleHistory, base: BaseVersion, avoiding damaged: Set<MemberReference>,
        jobs: Int
    ) throws(CapsuleError) {
        let stored = StoredContents(history, base: base, for: opened.entries, avoiding: damaged)
        var places: [Int: [StoredExtent]] = [:]
        var isRead = [Bool](repeating: false, count: opened.entries.count)
        var large: [Int] = []
        for number in base.changedPlaces(of: opened.entries.count).joined() where opened.entries[number].kind.hasContent {
            // A digest that is known spares the reading.
            let entry = opened.entries[number]
            if stored.isInBase(entry, number: number) { continue }
            if entry.digest != .zero, let extents = try stored.find(entry.digest, size: entry.size, for: entry, number: number) {
                places[number] = extents
                continue
            }
            isRead[number] = true
            if entry.size > UInt64(history.capsule.codec.memberLength) { large.append(number) }
        }
        self.places = places
        self.isRead = isRead
        additions = PackPlan.Additions(stored: stored, prepared: try Self.prepare(large, of: opened, stored, jobs: jobs))
    }

    /// Looks at the large files, several at a time, the largest first. At one that changed in few places several threads may look.
    private static func prepare(
        _ numbers: [Int], of opened: OpenedContainer, _ stored: StoredContents, jobs: Int
    ) throws(CapsuleError) -> [Int: LargePreparation] {
        let numbers = numbers.sorted { opened.entries[$0].size > opened.entries[$1].size }
        let ownJobs = max(1, min(jobs, 2 * jobs / max(1, numbers.count)))
        let prepared = try ParallelMap.run(numbers.count, threads: jobs, itemsPerThread: 1) { (place) throws(CapsuleError) in
            try unlessUnreadable { () throws(CapsuleError) in
                // What it is made of is compared with its digest when it is stored.
                let own = try opened.content.open(opened.entries[numbers[place]], number: numbers[place])
                let content = opened.hasFinalDigests ? own.uncompared : own
                return try LargePreparation(content, number: numbers[place], in: stored, aligningWith: ownJobs)
            }
        }
        var found: [Int: LargePreparation] = [:]
        for (number, preparation) in zip(numbers, prepared) { found[number] = preparation }
        return found
    }

    /// What can't be read is told when its turn comes.
    private static func unlessUnreadable(
        _ body: () throws(CapsuleError) -> LargePreparation?
    ) throws(CapsuleError) -> LargePreparation? {
        do throws(CapsuleError) {
            return try body()
        } catch {
            if error.code == .interrupted { throw error }
            return nil
        }
    }
}
