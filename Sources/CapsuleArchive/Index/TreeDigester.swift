package import CapsuleCore
import CapsuleHashing

/// Digests whole trees (docs/format.md, section 9).
package enum TreeDigester {
    /// - Parameter entries: in the order of the index; wrapper and identity don't count.
    package static func digest(of entries: some Sequence<TreeEntry>, _ scope: TreeDigestScope) -> ContentDigest {
        var hasher = SHA256Hasher()
        var record = scope.tag
        for entry in entries {
            scope.append(entry, to: &record)
            if record.count >= batch {
                hasher.update(record)
                record.removeAll(keepingCapacity: true)
            }
        }
        hasher.update(record)
        return hasher.finish()
    }

    private static let batch = 1 << 16
}
