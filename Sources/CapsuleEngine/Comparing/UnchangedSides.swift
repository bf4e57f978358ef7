import CapsuleArchive
import CapsuleCore

/// A version of a capsule beside a live container that is just like it: the index is held against the container's entries, and
/// none are made of it.
struct UnchangedSides {
    private let capsule: CapsuleReader
    private let manifest: Manifest
    private let root: IndexRoot
    private let options: ComparisonOptions

    /// - Returns: nil for what is no capsule.
    init?(_ container: Container, _ options: ComparisonOptions) throws(CapsuleError) {
        guard case .capsule(let capsule, let selector) = try container.resolve() else { return nil }
        self.options = options
        self.capsule = capsule
        do throws(ArchiveError) {
            let footer = try capsule.footer(of: selector)
            (manifest, root) = try capsule.head(of: footer)
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
    }

    /// The version and the container, without the entries, in which they don't differ.
    ///
    /// - Returns: nil if anything may differ.
    func sides(with live: ComparedSide) throws(CapsuleError) -> (stored: ComparedSide, live: ComparedSide)? {
        guard live.failures.isEmpty, live.tree.groups == manifest.groups, try isAlike(live.tree.entries) else { return nil }
        var stored = ComparedSide(
            tree: TreeSide([], groups: manifest.groups), content: CapsuleContent(capsule, ExtentTable(entries: 0)))
        stored.treeDigest = manifest.treeDigest
        stored.specialFiles = manifest.omitted.filter { $0.special != nil }
        if options.describesSides { stored.shownOrigin = SideOrigin(manifest, in: capsule.file.path.name) }
        var live = live
        live.tree.entries = []
        return (stored, live)
    }

    /// Whether each block has what is between its first entry and the next one's.
    private func isAlike(_ entries: [TreeEntry]) throws(CapsuleError) -> Bool {
        let starts = root.blocks.map { entries.firstPlace(notBefore: $0.firstPath, in: $0.firstRoot) } + [entries.count]
        guard let first = starts.first, entries[..<first].allSatisfy({ !$0.isCompared }) else { return false }
        return try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            let areAlike = try ParallelMap.run(root.blocks.count, threads: options.jobs, itemsPerThread: 16) {
                [capsule, root, times = options.times] (number) throws(ArchiveError) in
                try capsule.isAlike(root.blocks[number], entries[starts[number]..<starts[number + 1]], times: times)
            }
            return areAlike.allSatisfy { $0 }
        }
    }
}
