import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// Lists what is in a container.
public struct ContainerListing: Sendable {
    /// In the order of the index.
    public let entries: [TreeEntry]
    /// Whether files have their digests.
    public let isDigested: Bool

    /// The size of the largest file, in bytes.
    public let largestSize: UInt64

    /// What `render` makes of the entries, piece by piece, in their order; several threads work.
    public func rendered(jobs: Int, _ render: @escaping @Sendable (ArraySlice<TreeEntry>) -> [UInt8]) -> [[UInt8]] {
        let pieces = (entries.count + Self.pieceLength - 1) / Self.pieceLength
        let entries = entries
        return ParallelMap.run(pieces, threads: jobs) { piece in
            render(entries[piece * Self.pieceLength..<min(entries.count, (piece + 1) * Self.pieceLength)])
        }
    }

    private static let pieceLength = 1_024

    /// - Parameters:
    ///   - paths: what to list, with all below; none lists the whole tree.
    ///   - digesting: whether files of a live container or archive are read for their digests.
    public init(_ container: Container, paths: [[UInt8]] = [], digesting: Bool = false, jobs: Int = 1) throws(CapsuleError) {
        if paths.isEmpty, case .capsule(let capsule, let selector) = try container.resolve() {
            entries = try Self.tree(of: capsule, selector, jobs)
            largestSize = Self.largestSize(of: entries)
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
        self.entries = entries
        largestSize = Self.largestSize(of: entries)
        isDigested = opened.isDigested || digesting
    }

    private static func largestSize(of entries: [TreeEntry]) -> UInt64 {
        // By index: an element of its own would be copied.
        entries.indices.reduce(0) { max($0, entries[$1].size) }
    }

    /// The entries of tree and groups, without what listing has no use for.
    private static func tree(
        of capsule: CapsuleReader, _ selector: VersionSelector, _ jobs: Int
    ) throws(CapsuleError) -> [TreeEntry] {
        let root = try StoredVersion.root(of: capsule, selector)
        let index = WholeIndex(capsule, root)
        let parts = try ParallelMap.run(index.count, threads: jobs) { (number) throws(CapsuleError) -> [TreeEntry] in
            let block = try CapsuleError.wrappingArchive { () throws(ArchiveError) in try index.block(number) }
            guard block.entries.contains(where: { $0.root == .wrapper }) else { return block.entries }
            return block.entries.filter { $0.root != .wrapper }
        }
        var entries: [TreeEntry] = []
        entries.reserveCapacity(Int(clamping: root.entries))
        for part in parts { entries += part }
        return entries
    }

    private static func numbers(_ paths: [[UInt8]], in opened: OpenedContainer) throws(CapsuleError) -> [Int] {
        if paths.isEmpty { return opened.entries.indices.filter { opened.entries[$0].root != .wrapper } }
        var numbers: Set<Int> = []
        for path in paths {
            let (roots, relative) = try PathSelection.find(path, in: opened)
            for (number, entry) in opened.entries.enumerated()
            where roots.contains(entry.root) && entry.path.isAtOrBelow(relative) {
                numbers.insert(number)
            }
        }
        return Array(numbers)
    }
}
