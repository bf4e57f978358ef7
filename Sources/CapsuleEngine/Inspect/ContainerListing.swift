import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Lists the entries of a container in batches, so that the whole index of a capsule need not be in memory at once.
package struct ContainerListing: Sendable {
    package let isDigested: Bool
    /// The sum of the sizes of all files, in bytes. No single size has more digits.
    package let bytes: UInt64
    private let source: Source

    fileprivate enum Source {
        case index(BoundedIndexReader)
        case entries([TreeEntry])
    }

    private static let batchLength = 1_024

    /// - Parameters:
    ///   - paths: the paths or patterns to list, with everything below them. If it is empty, the whole tree is listed.
    ///   - digesting: true to read the files of a live container or an archive for their digests.
    package init(_ container: Container, paths: [[UInt8]] = [], digesting: Bool = false, jobs: Int = 1) throws(CapsuleError) {
        if paths.isEmpty, case .capsule(let capsule, let selector) = try container.resolve() {
            let (root, shape) = try StoredVersion.index(of: capsule, selector)
            // Errors in the index are reported before anything is listed.
            try shape.check(root, jobs: jobs)
            source = .index(BoundedIndexReader(capsule, root))
            bytes = root.bytes
            isDigested = true
            return
        }
        let opened = try container.openLeniently(jobs: jobs)
        var numbers = try Self.numbers(paths, in: opened)
        numbers.sort()
        var entries = numbers.map { opened.entries[$0] }
        if digesting, !opened.isDigested {
            let digests = try ContentDigester(opened, numbers: numbers, jobs: jobs).run()
            for (place, number) in numbers.enumerated() {
                if let digest = digests[number] { entries[place].digest = digest }
            }
        }
        // A complete listing has the same width as that of a capsule, whose index also counts the wrapper.
        bytes = (paths.isEmpty ? opened.entries : entries).totalSize
        source = .entries(entries)
        isDigested = opened.isDigested || digesting
    }

    /// Calls `render` with each batch of entries, on several threads, and passes the results to `take` in the order of the index.
    /// - Returns: the number of entries.
    @discardableResult
    package func forEachBatch<Rendered: Sendable>(
        jobs: Int = 1, _ render: @escaping @Sendable (ArraySlice<TreeEntry>) -> Rendered,
        _ take: @escaping (Rendered) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> UInt64 {
        let (source, batches) = (source, batchCount)
        var next = 0
        var count: UInt64 = 0
        try OrderedPipeline<Int, (Int, Rendered)>.run(
            threads: max(1, min(jobs, batches / 8)),
            make: {
                guard next < batches else { return nil }
                next += 1
                return next - 1
            },
            worker: {
                { (number) throws(CapsuleError) in
                    let entries = try source.batch(number, Self.batchLength)
                    return (entries.count, render(entries))
                }
            },
            take: { (batch) throws(CapsuleError) in
                count += UInt64(batch.0)
                try take(batch.1)
                return .proceed
            })
        return count
    }

    package func entries(jobs: Int = 1) throws(CapsuleError) -> [TreeEntry] {
        var entries: [TreeEntry] = []
        try forEachBatch(jobs: jobs, { $0 }) { entries += $0 }
        return entries
    }

    private var batchCount: Int {
        switch source {
        case .index(let index): index.count
        case .entries(let entries): (entries.count + Self.batchLength - 1) / Self.batchLength
        }
    }

    /// Returns the numbers of the entries that paths name; of all entries of the tree, if there are no paths.
    static func numbers(_ paths: [[UInt8]], in opened: OpenedContainer) throws(CapsuleError) -> [Int] {
        if paths.isEmpty { return opened.entries.indices.filter { opened.entries[$0].isListed } }
        let places = try NamedPaths(paths, in: opened)
        return opened.entries.indices.filter { places.covers(opened.entries[$0]) }
    }
}

extension ContainerListing.Source {
    fileprivate func batch(_ number: Int, _ length: Int) throws(CapsuleError) -> ArraySlice<TreeEntry> {
        switch self {
        case .index(let index):
            let block = try index.block(number)
            guard block.entries.contains(where: { !$0.isListed }) else { return block.entries[...] }
            return block.entries.filter(\.isListed)[...]
        case .entries(let entries):
            return entries[number * length..<min(entries.count, (number + 1) * length)]
        }
    }
}

/// All paths of a capsule's tree and groups as raw lines. This is the output of `ls` to a pipe, made without the rest of the index.
package struct PathListing: Sendable {
    package let lines: [[UInt8]]

    /// - Returns: nil if the container is not a capsule.
    package init?(_ container: Container, jobs: Int) throws(CapsuleError) {
        guard case .capsule(let capsule, let selector) = try container.resolve() else { return nil }
        let (root, shape) = try StoredVersion.index(of: capsule, selector)
        lines = try shape.check(root, jobs: jobs, []) { lines, part, path in
            guard part != .wrapper, part != .carried else { return }
            lines.append(contentsOf: path)
            lines.append(UInt8(ascii: "\n"))
        }
    }
}
