import CapsuleArchive
import CapsuleCore

/// All paths of a capsule's tree and groups, as raw lines: what `ls` on a pipe wants, without the rest of the index.
public struct PathListing: Sendable {
    /// Each path with a line feed behind it, in the order of the index, in pieces.
    public let lines: [[UInt8]]

    /// - Returns: nil for what is no capsule.
    public init?(_ container: Container, jobs: Int) throws(CapsuleError) {
        guard case .capsule(let capsule, let selector) = try container.resolve() else { return nil }
        let (root, shape) = try StoredVersion.index(of: capsule, selector)
        lines = try shape.check(root, jobs: jobs, []) { lines, part, path in
            guard part != .wrapper, part != .carried else { return }
            lines.append(contentsOf: path)
            lines.append(UInt8(ascii: "\n"))
        }
    }
}
