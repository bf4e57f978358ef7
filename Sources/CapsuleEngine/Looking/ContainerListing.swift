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

    /// - Parameters:
    ///   - paths: what to list, with all below; none lists the whole tree.
    ///   - digesting: whether files of a live container or archive are read for their digests.
    public init(_ container: Container, paths: [[UInt8]] = [], digesting: Bool = false, jobs: Int = 1) throws(CapsuleError) {
        if paths.isEmpty, case .capsule(let capsule, let selector) = try container.resolve() {
            entries = try Self.tree(of: capsule, selector)
            isDigested = true
            return
        }
        let opened = try container.open(ContainerOptions(jobs: jobs))
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
        isDigested = opened.isDigested || digesting
    }

    /// The entries of tree and groups, without what listing has no use for.
    private static func tree(of capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) -> [TreeEntry] {
        do throws(ArchiveError) {
            let footer = try capsule.footer(of: selector)
            let root = try capsule.root(of: footer)
            var entries: [TreeEntry] = []
            entries.reserveCapacity(Int(clamping: root.entries))
            for described in root.blocks {
                let block = try capsule.block(described)
                if block.entries.contains(where: { $0.root == .wrapper }) {
                    entries += block.entries.lazy.filter { $0.root != .wrapper }
                } else {
                    entries += block.entries
                }
            }
            return entries
        } catch {
            throw CapsuleError(error, hint: StoredVersion.hint(for: error))
        }
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
