import CapsuleArchive
import CapsuleCore

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
