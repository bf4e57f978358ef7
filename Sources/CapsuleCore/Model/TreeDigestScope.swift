/// Which facts of a tree a digest covers (docs/format.md, section 9).
public enum TreeDigestScope: Hashable, Sendable {
    /// Names, kinds, modes, content, targets and attributes; no times.
    case tree
    /// The same without modes and attributes: what also comes through a zip.
    case content

    /// The bytes the digest starts with.
    public var tag: [UInt8] {
        switch self {
        case .tree: Array("capsule-tree-1\n".utf8)
        case .content: Array("capsule-content-1\n".utf8)
        }
    }

    /// Appends what the digest takes in for one entry; nothing for wrapper and identity.
    ///
    /// kind u8; path u32 length + bytes; mode u16 (links 0); file: size u64 + SHA-256; link: target u32 + bytes; attributes
    /// u32 count, each name and value u32 + bytes. All little-endian. Entries follow in the order of the index.
    public func append(_ entry: TreeEntry, to record: inout [UInt8]) {
        guard entry.isCompared else { return }
        record.append(entry.kind.rawValue)
        record.appendCounted(entry.path.bytes)
        if self == .tree {
            record.appendLittleEndian(entry.kind == .link ? UInt16(0) : entry.mode.rawValue)
        }
        switch entry.kind {
        case .file, .identity:
            record.appendLittleEndian(entry.size)
            entry.digest.withBytes { record.append(contentsOf: $0) }
        case .link:
            record.appendCounted(entry.target)
        case .directory:
            break
        }
        if self == .tree {
            record.appendLittleEndian(UInt32(truncatingIfNeeded: entry.attributes.count))
            for attribute in entry.attributes {
                record.appendCounted(attribute.name)
                record.appendCounted(attribute.value)
            }
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func appendCounted(_ bytes: [UInt8]) {
        appendLittleEndian(UInt32(truncatingIfNeeded: bytes.count))
        append(contentsOf: bytes)
    }

    fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
