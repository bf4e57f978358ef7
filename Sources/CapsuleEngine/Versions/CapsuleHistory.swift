import CapsuleArchive
import CapsuleCore
import Synchronization

/// All versions of a capsule: what an append has to know of them, read when it is asked for.
final class CapsuleHistory: Sendable {
    let capsule: CapsuleReader
    /// Newest first.
    let footers: [Footer]
    private let jobs: Int
    private let loaded = Mutex(Loaded())

    private struct Loaded {
        var roots: [IndexRoot]?
        var blocks: [ContentDigest: IndexRoot.Block]?
    }

    /// Reads all footers.
    ///
    /// - Throws: also for one that is damaged, though a newer one is whole.
    init(_ capsule: CapsuleReader, jobs: Int) throws(ArchiveError) {
        self.capsule = capsule
        self.jobs = jobs
        footers = try capsule.footers()
    }

    var newest: Footer { capsule.newest }

    /// The version that has a label.
    func version(labelled label: VersionLabel) throws(ArchiveError) -> UInt32? {
        let needle = Array(label.text.utf8)
        let numbers = try ParallelMap.run(footers.count, threads: jobs) {
            [capsule, footers] (number) throws(ArchiveError) -> UInt32? in
            let footer = footers[number]
            // Nearly all manifests can't be it: to see that takes no parser.
            guard try capsule.manifestDocument(of: footer).mayHold(needle) else { return nil }
            return try capsule.manifest(of: footer).label == label ? footer.version : nil
        }
        return numbers.lazy.compactMap { $0 }.first
    }

    /// The roots of all indexes, newest first.
    func roots() throws(ArchiveError) -> [IndexRoot] {
        try loaded.withLock { (loaded) throws(ArchiveError) in try Self.roots(&loaded, capsule, footers, jobs) }
    }

    private static func roots(
        _ loaded: inout Loaded, _ capsule: CapsuleReader, _ footers: [Footer], _ jobs: Int
    ) throws(ArchiveError) -> [IndexRoot] {
        if let roots = loaded.roots { return roots }
        let roots = try ParallelMap.run(footers.count, threads: jobs) { (number) throws(ArchiveError) in
            try capsule.root(of: footers[number])
        }
        loaded.roots = roots
        return roots
    }

    /// What the blocks say of contents, and nothing else of them.
    func contents(of blocks: [IndexRoot.Block]) throws(ArchiveError) -> [IndexContents] {
        try ParallelMap.run(blocks.count, threads: jobs) { [capsule] (number) throws(ArchiveError) in
            try capsule.contents(of: blocks[number])
        }
    }

    /// The block with these raw bytes, if any version has it.
    func block(of digest: ContentDigest) throws(ArchiveError) -> IndexRoot.Block? {
        try loaded.withLock { (loaded) throws(ArchiveError) in
            if let blocks = loaded.blocks { return blocks[digest] }
            var blocks: [ContentDigest: IndexRoot.Block] = [:]
            for root in try Self.roots(&loaded, capsule, footers, jobs) {
                for block in root.blocks { blocks[block.digest] = block }
            }
            loaded.blocks = blocks
            return blocks[digest]
        }
    }
}

extension Array where Element == UInt8 {
    /// Whether an XML document of these bytes can have the text in it; true where only a parser could tell.
    fileprivate func mayHold(_ text: [UInt8]) -> Bool {
        guard starts(with: Array("<?xml".utf8)), let first = text.first else { return true }
        return withUnsafeBytes { bytes in
            for place in bytes.indices {
                // A character may be spelled as a reference.
                if bytes[place] == UInt8(ascii: "&"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "#") {
                    return true
                }
                if bytes[place] == first, bytes[place...].starts(with: text) { return true }
            }
            return false
        }
    }
}
