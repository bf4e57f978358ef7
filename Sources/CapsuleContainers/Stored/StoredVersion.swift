package import CapsuleArchive
package import CapsuleCore
import Synchronization

/// A version of a capsule with its complete index.
package struct StoredVersion: Sendable {
    package let capsule: CapsuleReader
    package let footer: Footer
    package let manifest: Manifest
    package let root: IndexRoot
    package let entries: [TreeEntry]
    package let content: VersionContent

    package init(_ capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
        let footer: Footer
        do throws(CapsuleError) {
            footer = try capsule.footer(of: selector)
        } catch {
            throw Self.error(error, reading: selector, of: capsule)
        }
        try self.init(capsule, footer)
    }

    /// Reads the version of a footer that was already found: to find it again, all later ones would be read.
    package init(_ capsule: CapsuleReader, _ footer: Footer) throws(CapsuleError) {
        do throws(CapsuleError) {
            self.capsule = capsule
            self.footer = footer
            (manifest, root) = try capsule.head(of: footer)
            var entries: [TreeEntry] = []
            entries.reserveCapacity(Int(root.entries))
            var extents = ExtentTable(entries: Int(root.entries))
            let index = BoundedIndexReader(capsule, root)
            try capsule.file.fetch(root.blocks.map(\.range))
            for number in 0..<index.count {
                let block = try index.block(number)
                entries += block.entries
                extents.append(block)
            }
            self.entries = entries
            content = VersionContent(capsule, extents)
        } catch {
            throw error.hinting(Self.hint(for: error))
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

    package static func index(
        of capsule: CapsuleReader, _ selector: VersionSelector
    ) throws(CapsuleError) -> (root: IndexRoot, shape: IndexTreeCheck) {
        do throws(CapsuleError) {
            let footer = try capsule.footer(of: selector)
            let (manifest, root) = try capsule.head(of: footer)
            return (root, IndexTreeCheck(capsule, footer, manifest))
        } catch {
            throw Self.error(error, reading: selector, of: capsule)
        }
    }

    package var opened: OpenedContainer {
        OpenedContainer(
            name: manifest.name, layout: manifest.layout, source: manifest.source, groups: manifest.groups, entries: entries,
            isDigested: true, contents: EntryContents(content, count: entries.count), omitted: manifest.omitted,
            wantedOmissions: manifest.omitted.count,
            earlierOmissions: manifest.omitted.count, overlays: manifest.overlays, evidence: ["the footer of a capsule"])
    }

    /// Returns the error of a command for one of reading a version. For a version that does not exist, it suggests those that do.
    package static func error(_ error: CapsuleError, reading selector: VersionSelector, of capsule: CapsuleReader) -> CapsuleError
    {
        guard error.code == .notFound, error.errno == nil, let names = try? capsule.versionNames() else {
            return error.hinting(error.hint == nil ? hint(for: error) : nil)
        }
        // Such a word could be a label.
        if selector.text.hasPrefix("-"), let back = UInt32(selector.text.dropFirst()), let path = error.path,
            (try? capsule.footer(of: .beforeLatest(back))) != nil
        {
            return error.hinting("'\(path.shellWord)@~\(back)' counts back from the latest version")
        }
        return CapsuleError(.notFound, error.message, path: error.path, hint: hint(for: error), misspelt: (selector.text, names))
    }

    package static func hint(for error: CapsuleError) -> String? {
        switch error.code {
        case .notFound where error.errno == nil: error.path.map { "'capsule log \($0.shellWord)' lists them" }
        case .damaged: error.path?.verifyHint
        case .torn: "tar may still extract files from it"
        default: nil
        }
    }
}

extension CapsuleReader {
    /// Returns the last footer of a version: its own, or that of the last label record that follows it directly.
    package func last(of selector: VersionSelector) throws(CapsuleError) -> Footer {
        if selector == .latest { return last }
        do throws(CapsuleError) {
            let footer = try footer(of: selector)
            return try parts().drop { $0.end <= footer.end }.prefix { $0.isLabel }.last ?? footer
        } catch {
            throw StoredVersion.error(error, reading: selector, of: self)
        }
    }
}

/// Reads the blocks of one index on any thread, and limits their total size to what a capsule may hold, because front coding and
/// compression can make gigabytes from a small file.
package final class BoundedIndexReader: Sendable {
    private let capsule: CapsuleReader
    private let root: IndexRoot
    private let limit: UInt64
    private let length = Mutex<UInt64>(0)

    package init(_ capsule: CapsuleReader, _ root: IndexRoot, limit: UInt64 = CapsuleLimits.indexLength) {
        self.limit = limit
        self.capsule = capsule
        self.root = root
    }

    package var count: Int { root.blocks.count }

    /// Reads a block of the index. Each must be read only once.
    package func block(_ number: Int) throws(CapsuleError) -> IndexBlock {
        let block = try capsule.block(root.blocks[number])
        let total = length.withLock { total in
            total += block.length
            return total
        }
        guard total <= limit else { throw capsule.tooLongIndex }
        return block
    }
}

/// Checks that the entries of a version's index form a tree, without having all of them in memory. Code that uses a whole index
/// does this: an index that is not a tree is not listed, unpacked, or followed by another version.
package struct IndexTreeCheck {
    private let capsule: CapsuleReader
    private let version: UInt32
    private let empty: TreeShape

    package init(_ capsule: CapsuleReader, _ footer: Footer, _ manifest: Manifest) {
        self.capsule = capsule
        version = footer.version
        empty = TreeShape(layout: manifest.layout, groups: manifest.groups, isOverlay: footer.isOverlay)
    }

    /// Reads the paths of all blocks, and checks that they form a tree.
    /// - Parameter noting: called with the paths of each block, in order, on the thread that reads the block.
    /// - Returns: the value that `noting` made for each block.
    package func check<Noted: Sendable>(
        _ root: IndexRoot, jobs: Int, _ initial: Noted,
        noting: @escaping @Sendable (inout Noted, TreeRoot, UnsafeRawBufferPointer) -> Void
    ) throws(CapsuleError) -> [Noted] {
        let (capsule, empty) = (capsule, empty)
        try capsule.file.fetch(root.blocks.map(\.range))
        let found = try ParallelMap.run(root.blocks.count, threads: jobs, itemsPerThread: 3) {
            (number) throws(CapsuleError) -> (shape: TreeShape, noted: Noted) in
            var shape = empty
            var noted = initial
            try capsule.forEachPath(in: root.blocks[number]) { part, kind, path in
                // The reader has checked the path.
                shape.add(RelativePath(unchecked: [UInt8](path)), part, kind)
                noting(&noted, part, path)
            }
            return (shape, noted)
        }
        try join(found.lazy.map(\.shape))
        return found.map(\.noted)
    }

    package func check(_ root: IndexRoot, jobs: Int) throws(CapsuleError) {
        _ = try check(root, jobs: jobs, 0) { _, _, _ in }
    }

    package func check(_ blocks: [IndexBlock], jobs: Int) throws(CapsuleError) {
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
    static func noTree(_ problem: TreeShape.Problem, version: UInt32) -> CapsuleError {
        CapsuleError(
            "the index of version \(version) is not a valid tree: \(problem.message)", path: HostPath(problem.path.bytes))
    }
}
