import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Synchronization

/// All versions of a capsule, with the facts that an append needs. They are read when they are needed.
final class CapsuleHistory: Sendable {
    let capsule: CapsuleReader
    let footers: [Footer]
    private let cache: CatalogCache?
    private let jobs: Int
    private let loaded = Mutex(Loaded())

    private struct Loaded {
        var catalogue: Catalog?
        var blocks: [ContentDigest: IndexRoot.Block]?
        var isLookedUp = false
    }

    /// Reads all footers.
    /// - Parameters:
    ///   - known: the catalogue without labels, if it is known.
    /// - Throws: ``CapsuleError``, also for a damaged footer of an older version.
    init(_ capsule: CapsuleReader, jobs: Int, cache: CatalogCache? = nil, known: Catalog? = nil) throws(CapsuleError) {
        self.capsule = capsule
        self.jobs = jobs
        footers = try capsule.footers()
        self.cache = footers.count >= CatalogCache.fewestVersions ? cache : nil
        if let known {
            loaded.withLock { loaded in
                loaded.catalogue = known
                loaded.isLookedUp = true
            }
        }
    }

    var newest: Footer { capsule.newest }

    func version(labelled label: VersionLabel) throws(CapsuleError) -> UInt32? {
        // A catalogue is not read for this, because reading the manifests is fast.
        if cache != nil, let labels = loaded.withLock({ lookUp(&$0)?.labels }) {
            return labels.first { $0.label == label }?.version
        }
        let needle = Array(label.text.utf8)
        let numbers = try ParallelMap.run(footers.count, threads: jobs) {
            [capsule, footers] (number) throws(CapsuleError) -> UInt32? in
            let footer = footers[number]
            // Nearly all manifests can't have the label, and no parser is needed to see that.
            guard try capsule.manifestDocument(of: footer).mayHold(needle) else { return nil }
            return try capsule.manifest(of: footer).label == label ? footer.version : nil
        }
        return numbers.lazy.compactMap { $0 }.first
    }

    func catalogue() throws(CapsuleError) -> Catalog {
        try loaded.withLock { (loaded) throws(CapsuleError) in try catalogue(&loaded) }
    }

    func catalogue(
        adding added: [(block: IndexRoot.Block, contents: [ContentDigest])]
    ) throws(CapsuleError) -> Catalog {
        var all = try catalogue()
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

    /// Reads the roots of all indexes, each distinct block once, and the labels if they will be cached.
    private func makeCatalogue() throws(CapsuleError) -> Catalog {
        let (capsule, footers) = (capsule, footers)
        var seen: Set<UInt64> = []
        // The blocks that each version added, oldest version first. Only some roots are read at a time, because they may be long
        // and mostly repeat.
        var brought: [[IndexRoot.Block]] = []
        let oldestFirst = Array(footers.reversed())
        for start in stride(from: 0, to: oldestFirst.count, by: Self.rootsAtOnce) {
            let some = oldestFirst[start..<min(oldestFirst.count, start + Self.rootsAtOnce)]
            let roots = try ParallelMap.run(some.count, threads: jobs) { (number) throws(CapsuleError) in
                try capsule.root(of: some[start + number])
            }
            brought += roots.map { root in root.blocks.filter { seen.insert($0.offset).inserted } }
        }
        let blocks = brought.flatMap { $0 }
        let contents = try ParallelMap.run(blocks.count, threads: jobs) { (number) throws(CapsuleError) in
            try capsule.contents(of: blocks[number]).contents.map(\.digest)
        }
        var catalogue = Catalog()
        var rest = zip(blocks, contents).map { (block: $0, contents: $1) }[...]
        for own in brought {
            catalogue.append(Array(rest.prefix(own.count)))
            rest = rest.dropFirst(own.count)
        }
        if cache != nil {
            let labels = try ParallelMap.run(footers.count, threads: jobs) { (number) throws(CapsuleError) in
                try capsule.manifest(of: footers[number]).label
            }
            for (footer, label) in zip(footers, labels) {
                if let label { catalogue.labels.append((label, footer.version)) }
            }
        }
        return catalogue
    }

    private static let rootsAtOnce = 64

    func block(of digest: ContentDigest) throws(CapsuleError) -> IndexRoot.Block? {
        try loaded.withLock { (loaded) throws(CapsuleError) in
            if loaded.blocks == nil {
                var blocks: [ContentDigest: IndexRoot.Block] = [:]
                for block in try catalogue(&loaded).blocks { blocks[block.digest] = block }
                loaded.blocks = blocks
            }
            guard let block = loaded.blocks?[digest] else { return nil }
            // A catalogue from a cache is trusted only if the file confirms it.
            if cache != nil, (try? capsule.block(block)) == nil { return nil }
            return block
        }
    }

    /// Stores the catalogue in the cache, with the additions of a new version.
    /// - Parameter additions: the blocks that the version wrote, with the digests of the contents that they refer to.
    func remember(
        _ version: Footer, label: VersionLabel?, _ additions: [(block: IndexRoot.Block, contents: [ContentDigest])]
    ) {
        guard let cache else { return }
        loaded.withLock { loaded in
            if loaded.catalogue == nil, label == nil, additions.isEmpty { return cache.keep(version, as: newest) }
            guard var catalogue = try? catalogue(&loaded) else { return }
            catalogue.append(additions)
            if let label { catalogue.labels.append((label, version.version)) }
            cache.save(catalogue, version, insteadOf: newest)
        }
    }
}

extension Array where Element == UInt8 {
    /// Returns true if an XML document with these bytes may contain the text, and also if only a parser could decide.
    fileprivate func mayHold(_ text: [UInt8]) -> Bool {
        guard starts(with: Array("<?xml".utf8)), let first = text.first else { return true }
        return withUnsafeBytes { bytes in
            for place in bytes.indices {
                // A character may be written as a reference.
                if bytes[place] == UInt8(ascii: "&"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "#") {
                    return true
                }
                if bytes[place] == first, bytes[place...].starts(with: text) { return true }
            }
            return false
        }
    }
}
