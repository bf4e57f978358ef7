import CapsuleArchive
import CapsuleCore
import Synchronization

/// One version of a capsule with its whole index.
struct StoredVersion: Sendable {
    let capsule: CapsuleReader
    let footer: Footer
    let manifest: Manifest
    let root: IndexRoot
    /// In the order of the index.
    let entries: [TreeEntry]
    let content: CapsuleContent

    /// Reads all of a version's metadata and checks that it is a tree.
    init(_ capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
        do throws(ArchiveError) {
            self.capsule = capsule
            footer = try capsule.footer(of: selector)
            (manifest, root) = try capsule.head(of: footer)
            var entries: [TreeEntry] = []
            entries.reserveCapacity(Int(root.entries))
            var extents = ExtentTable(entries: Int(root.entries))
            let index = WholeIndex(capsule, root)
            for number in 0..<index.count {
                let block = try index.block(number)
                entries += block.entries
                extents.append(block)
            }
            self.entries = entries
            content = CapsuleContent(capsule, extents)
        } catch {
            throw Self.error(error, reading: selector, of: capsule)
        }
        guard root.bytes == entries.totalSize else {
            throw CapsuleError("index and manifest of version \(footer.version) don't match", path: capsule.file.path)
        }
        guard footer.isOverlay == (manifest.overlay != nil), !footer.isOverlay || footer.previous == nil else {
            throw CapsuleError("footer and manifest of version \(footer.version) don't match", path: capsule.file.path)
        }
        let problem = TreeShape.problem(
            in: entries, layout: manifest.layout, groups: manifest.groups, isOverlay: footer.isOverlay)
        if let problem { throw .noTree(problem, version: footer.version) }
    }

    /// The root of a version's index, and what looks whether the index is a tree.
    static func index(
        of capsule: CapsuleReader, _ selector: VersionSelector
    ) throws(CapsuleError) -> (root: IndexRoot, shape: IndexShape) {
        do throws(ArchiveError) {
            let footer = try capsule.footer(of: selector)
            let (manifest, root) = try capsule.head(of: footer)
            return (root, IndexShape(capsule, footer, manifest))
        } catch {
            throw Self.error(error, reading: selector, of: capsule)
        }
    }

    /// The version as a container of any form.
    var opened: OpenedContainer {
        OpenedContainer(
            name: manifest.name, layout: manifest.layout, source: manifest.source, groups: manifest.groups, entries: entries,
            isDigested: true, content: content, omitted: manifest.omitted, wantedOmissions: manifest.omitted.count,
            earlierOmissions: manifest.omitted.count, overlays: manifest.overlays, evidence: ["the footer of a capsule"])
    }

    /// The error of a use case for one of reading a version; a version that isn't there is told with those that are.
    static func error(_ error: ArchiveError, reading selector: VersionSelector, of capsule: CapsuleReader) -> CapsuleError {
        guard error.code == .noSuchVersion, let names = try? capsule.versionNames() else {
            return CapsuleError(error, hint: hint(for: error))
        }
        return CapsuleError(
            .notFound, error.message, path: error.path, hint: hint(for: error), misspelt: (selector.text, names))
    }

    static func hint(for error: ArchiveError) -> String? {
        switch error.code {
        case .noSuchVersion: "'capsule log \(error.path)' lists them"
        case .damaged: "'capsule verify' shows what is intact"
        case .torn: "tar may still extract files from it"
        case .newerFormat: "read it with a newer capsule"
        default: nil
        }
    }
}

/// Reads the blocks of one index by any thread, and no more of them together than a capsule may hold: front coding and
/// compression can make gigabytes of a small file.
final class WholeIndex: Sendable {
    private let capsule: CapsuleReader
    private let root: IndexRoot
    private let limit: UInt64
    private let length = Mutex<UInt64>(0)

    init(_ capsule: CapsuleReader, _ root: IndexRoot, limit: UInt64 = CapsuleLimits.indexLength) {
        self.limit = limit
        self.capsule = capsule
        self.root = root
    }

    var count: Int { root.blocks.count }

    /// The n-th block; each must be read but once.
    func block(_ number: Int) throws(ArchiveError) -> IndexBlock {
        let block = try capsule.block(root.blocks[number])
        let total = length.withLock { total in
            total += block.length
            return total
        }
        guard total <= limit else { throw capsule.tooLongIndex }
        return block
    }
}

/// Looks whether the entries of a version's index make up a tree, without having all of them in memory.
///
/// Whoever uses an index as a whole does: what is no tree is not listed, followed by a version, or unpacked.
struct IndexShape {
    private let capsule: CapsuleReader
    private let version: UInt32
    private let empty: TreeShape

    /// - Parameter manifest: the version's.
    init(_ capsule: CapsuleReader, _ footer: Footer, _ manifest: Manifest) {
        self.capsule = capsule
        version = footer.version
        empty = TreeShape(layout: manifest.layout, groups: manifest.groups, isOverlay: footer.isOverlay)
    }

    /// Reads the paths of all blocks.
    ///
    /// - Parameter noting: told of the paths of each block, in order, by the thread that reads it.
    /// - Returns: what `noting` made of each block.
    /// - Throws: also for an index that is no tree.
    func check<Noted: Sendable>(
        _ root: IndexRoot, jobs: Int, _ initial: Noted,
        noting: @escaping @Sendable (inout Noted, TreeRoot, UnsafeRawBufferPointer) -> Void
    ) throws(CapsuleError) -> [Noted] {
        let (capsule, empty) = (capsule, empty)
        let found = try ParallelMap.run(root.blocks.count, threads: jobs) {
            (number) throws(CapsuleError) -> (shape: TreeShape, noted: Noted) in
            var shape = empty
            var noted = initial
            try CapsuleError.wrappingArchive { () throws(ArchiveError) in
                try capsule.forEachPath(in: root.blocks[number]) { part, kind, path in
                    // The reader has seen that it is sound, or the root's own.
                    shape.add((try? RelativePath(validating: path)) ?? .root, part, kind)
                    noting(&noted, part, path)
                }
            }
            return (shape, noted)
        }
        try join(found.lazy.map(\.shape))
        return found.map(\.noted)
    }

    /// Reads the paths of all blocks.
    ///
    /// - Throws: also for an index that is no tree.
    func check(_ root: IndexRoot, jobs: Int) throws(CapsuleError) {
        _ = try check(root, jobs: jobs, 0) { _, _, _ in }
    }

    /// Looks at blocks that are in memory.
    func check(_ blocks: [IndexBlock], jobs: Int) throws(CapsuleError) {
        let empty = empty
        try join(
            ParallelMap.run(blocks.count, threads: jobs) { number in
                var shape = empty
                for entry in blocks[number].entries { shape.add(entry) }
                return shape
            })
    }

    private func join(_ shapes: some Sequence<TreeShape>) throws(CapsuleError) {
        var whole = empty
        for shape in shapes { whole.add(shape) }
        if let problem = whole.firstProblem { throw .noTree(problem, version: version) }
    }
}

extension CapsuleError {
    /// An index whose entries make up no tree.
    static func noTree(_ problem: TreeShape.Problem, version: UInt32) -> CapsuleError {
        CapsuleError(
            "the index of version \(version) is not a valid tree: \(problem.message)", path: HostPath(problem.path.bytes))
    }
}
