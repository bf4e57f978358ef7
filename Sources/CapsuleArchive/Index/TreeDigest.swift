package import CapsuleCore
import CapsuleHashing

/// Digests whole trees (docs/format.md, section 9).
package enum TreeDigester {
    /// - Parameter entries: the entries in the order of the index. Those that are not compared (``TreeEntry/isCompared``) are skipped.
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

/// The facts of a tree that a tree digest covers (docs/format.md, section 9).
package enum TreeDigestScope: Hashable, Sendable {
    /// Names, kinds, modes, contents, link targets and attributes, but not times.
    case tree
    /// The facts of ``tree`` without modes and attributes. A zip file preserves these facts too.
    case content

    package var tag: [UInt8] {
        switch self {
        case .tree: Array("capsule-tree-1\n".utf8)
        case .content: Array("capsule-content-1\n".utf8)
        }
    }

    /// Appends the bytes that the digest covers for one entry. Appends nothing for entries that are not compared
    /// (``TreeEntry/isCompared``).
    /// The fields are: kind as u8; path as a u32 length and bytes; mode as u16 (0 for links); for a file, size as u64 and its SHA-256;
    /// for a link, its target as a u32 length and bytes; the number of attributes as u32, then each name and value as a u32 length and
    /// bytes. Mode and attributes belong to ``tree`` only. All numbers are little-endian. Entries follow in the order of the index.
    package func append(_ entry: TreeEntry, to record: inout [UInt8]) {
        guard entry.isCompared else { return }
        record.append(entry.kind.rawValue)
        Self.append(entry.path.bytes, to: &record)
        if self == .tree {
            record.appendInteger(entry.kind == .link ? UInt16(0) : entry.mode.rawValue)
        }
        switch entry.kind {
        case .file, .identity:
            record.appendInteger(entry.size)
            entry.digest.withBytes { record.append(contentsOf: $0) }
        case .link:
            Self.append(entry.target, to: &record)
        case .directory:
            break
        }
        if self == .tree {
            record.appendInteger(UInt32(truncatingIfNeeded: entry.attributes.count))
            for attribute in entry.attributes {
                Self.append(attribute.name, to: &record)
                Self.append(attribute.value, to: &record)
            }
        }
    }

    private static func append(_ bytes: [UInt8], to record: inout [UInt8]) {
        record.appendInteger(UInt32(truncatingIfNeeded: bytes.count))
        record += bytes
    }
}
