import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// Digests of what makes the entries of two blocks the same, wherever their bytes are (docs/format.md, section 5). Blocks of two capsules
/// are compared by them, without being read.
package struct BlockLikeness: Hashable, Sendable {
    /// A digest of all columns but those of times and places.
    package let entries: ShortDigest
    /// A digest of the columns of times.
    package let times: ShortDigest

    /// The first 16 bytes of a SHA-256 digest.
    package struct ShortDigest: Hashable, Sendable {
        fileprivate let first: UInt64
        fileprivate let second: UInt64
    }

    /// - Parameter columns: the columns, none of which was read from.
    init(_ columns: IndexColumns) {
        var hasher = SHA256Hasher()
        func digest(_ columns: [(id: UInt16, column: ByteReader)]) -> ShortDigest {
            for (id, column) in columns {
                var head: [UInt8] = []
                head.appendInteger(id)
                head.appendInteger(UInt32(truncatingIfNeeded: column.remaining))
                hasher.update(head)
                hasher.update(column.rest)
            }
            return hasher.finish().withBytes {
                ShortDigest(
                    first: UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
                    second: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            }
        }
        entries = digest([
            (IndexColumn.kind, columns.kind), (IndexColumn.root, columns.root), (IndexColumn.mode, columns.mode),
            (IndexColumn.size, columns.size), (IndexColumn.digest, columns.digest), (IndexColumn.path, columns.path),
            (IndexColumn.target, columns.target), (IndexColumn.attributes, columns.attributes),
        ])
        times = digest([(IndexColumn.seconds, columns.seconds), (IndexColumn.nanoseconds, columns.nanoseconds)])
    }

    /// - Returns: nil if the bytes are not a raw block.
    package init?(of raw: [UInt8]) {
        guard let made = raw.withRawBytes({ bytes in (try? IndexColumns(bytes)).map { BlockLikeness($0) } }) else { return nil }
        self = made
    }

    /// Returns the likeness of a raw block that this code made.
    static func made(of raw: [UInt8]) -> BlockLikeness {
        BlockLikeness(of: raw).guaranteed("a block that was just made has all columns")
    }

    init(from reader: inout ByteReader) throws {
        entries = ShortDigest(first: try reader.integer(UInt64.self), second: try reader.integer(UInt64.self))
        times = ShortDigest(first: try reader.integer(UInt64.self), second: try reader.integer(UInt64.self))
    }

    package func append(to bytes: inout [UInt8]) {
        for digest in [entries, times] {
            bytes.appendInteger(digest.first)
            bytes.appendInteger(digest.second)
        }
    }
}
