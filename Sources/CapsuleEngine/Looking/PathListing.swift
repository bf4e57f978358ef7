import CapsuleArchive
import CapsuleCore

/// All paths of a capsule's tree and groups, as raw lines: what `ls` on a pipe wants, without the rest of the index.
public struct PathListing: Sendable {
    /// Each path with a line feed behind it, in the order of the index, in pieces.
    public let lines: [[UInt8]]

    /// - Returns: nil for what is no capsule.
    public init?(_ container: Container, jobs: Int) throws(CapsuleError) {
        guard case .capsule(let capsule, let selector) = try container.resolve() else { return nil }
        let root = try StoredVersion.root(of: capsule, selector)
        lines = try ParallelMap.run(root.blocks.count, threads: jobs) { (number) throws(CapsuleError) -> [UInt8] in
            var lines: [UInt8] = []
            lines.reserveCapacity(Int(root.blocks[number].entries) * 64)
            try CapsuleError.wrappingArchive { () throws(ArchiveError) in
                try capsule.forEachPath(in: root.blocks[number]) { part, path in
                    guard part != .wrapper, part != .carried else { return }
                    lines.append(contentsOf: path)
                    lines.append(UInt8(ascii: "\n"))
                }
            }
            return lines
        }
    }
}
