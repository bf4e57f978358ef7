import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Synchronization

/// All versions of a capsule, with the facts that an append needs. They are read when they are needed.
final class CapsuleHistory: Sendable {
    let capsule: CapsuleReader
    private let cache: CatalogCache?
    private let jobs: Int
    private let loaded = Mutex(Loaded())

    private struct Loaded {
        var catalogue: Catalog?
        var isLookedUp = false
    }

    /// - Parameter known: the catalogue, if it is known.
    init(_ capsule: CapsuleReader, jobs: Int, cache: CatalogCache? = nil, known: Catalog? = nil) {
        self.capsule = capsule
        self.jobs = jobs
        self.cache = capsule.newest.version >= CatalogCache.fewestVersions ? cache : nil
        if let known {
            loaded.withLock { loaded in
                loaded.catalogue = known
                loaded.isLookedUp = true
            }
        }
    }

    var newest: Footer { capsule.newest }
    /// The footer that the next version follows: that of the newest version, or of a label record after it.
    var last: Footer { capsule.last }

    func catalogue() throws(CapsuleError) -> Catalog {
        try loaded.withLock { (loaded) throws(CapsuleError) in try catalogue(&loaded) }
    }

    /// Returns the catalogue with a version more. It is the last thing to ask for.
    func catalogue(
        adding added: [(block: IndexRoot.Block, contents: [ContentDigest])]
    ) throws(CapsuleError) -> Catalog {
        // Taken out, since a second reference to it would cause a copy.
        var all = try loaded.withLock { (loaded) throws(CapsuleError) in
            let all = try catalogue(&loaded)
            loaded.catalogue = nil
            loaded.isLookedUp = false
            return all
        }
        all.append(added)
        return all
    }

    private func catalogue(_ loaded: inout Loaded) throws(CapsuleError) -> Catalog {
        if let known = lookUp(&loaded) { return known }
        let made = try makeCatalogue()
        loaded.catalogue = made
        return made
    }

    private func lookUp(_ loaded: inout Loaded) -> Catalog? {
        if !loaded.isLookedUp {
            loaded.isLookedUp = true
            loaded.catalogue = cache?.load(newest)
        }
        return loaded.catalogue
    }

    /// Reads the roots of all indexes, and each distinct block once.
    private func makeCatalogue() throws(CapsuleError) -> Catalog {
        let capsule = capsule
        let footers = try capsule.footers()
        var seen: Set<UInt64> = []
        // The blocks that each version added, oldest version first. Only some roots are read at a time, because they may be long
        // and mostly repeat.
        var brought: [[IndexRoot.Block]] = []
        let oldestFirst = Array(footers.reversed())
        for start in stride(from: 0, to: oldestFirst.count, by: Self.rootsAtOnce) {
            let some = oldestFirst[start..<min(oldestFirst.count, start + Self.rootsAtOnce)]
            try capsule.file.fetch(some.map(\.root.range))
            let roots = try ParallelMap.run(some.count, threads: jobs) { (number) throws(CapsuleError) in
                try capsule.root(of: some[start + number])
            }
            brought += roots.map { root in root.blocks.filter { seen.insert($0.offset).inserted } }
        }
        let blocks = brought.flatMap { $0 }
        try capsule.file.fetch(blocks.map(\.range))
        let contents = try ParallelMap.run(blocks.count, threads: jobs) { (number) throws(CapsuleError) in
            try capsule.contents(of: blocks[number]).contents.map(\.digest)
        }
        var catalogue = Catalog()
        var rest = zip(blocks, contents).map { (block: $0, contents: $1) }[...]
        for own in brought {
            catalogue.append(Array(rest.prefix(own.count)))
            rest = rest.dropFirst(own.count)
        }
        return catalogue
    }

    private static let rootsAtOnce = 64

    func block(of digest: ContentDigest) throws(CapsuleError) -> IndexRoot.Block? {
        try loaded.withLock { (loaded) throws(CapsuleError) in
            guard let block = try catalogue(&loaded).block(of: digest) else { return nil }
            // A catalogue from a cache is trusted only if the file confirms it.
            if cache != nil, (try? capsule.block(block)) == nil { return nil }
            return block
        }
    }

    /// Stores the catalogue in the cache, with the additions of a new version.
    /// - Parameter additions: the blocks that the version wrote, with the digests of the contents that they refer to.
    func remember(
        _ version: Footer, _ additions: [(block: IndexRoot.Block, contents: [ContentDigest])]
    ) {
        guard let cache else { return }
        loaded.withLock { loaded in
            if loaded.catalogue == nil, additions.isEmpty { return cache.keep(version, as: newest) }
            guard var catalogue = try? catalogue(&loaded) else { return }
            loaded.catalogue = nil
            catalogue.append(additions)
            cache.save(catalogue, version, insteadOf: newest)
        }
    }
}
