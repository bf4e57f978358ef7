package import CapsuleCore

/// A file with the content of a Core Data blob, beside the database in `.STEM_SUPPORT/_EXTERNAL_DATA/`.
package struct ExternalFile {
    package let size: UInt64
    package let digest: ContentDigest
    /// Reads its beginning: all of it, where the file is short enough to be looked into.
    package let head: () -> [UInt8]

    package init(size: UInt64, digest: ContentDigest, head: @autoclosure @escaping () -> [UInt8] = []) {
        self.size = size
        self.digest = digest
        self.head = head
    }
}

/// One of two databases.
package enum DatabaseSide: Hashable, Sendable {
    case old
    case new
}

/// Finds a file of a side by its name; nil if there is none.
package typealias ExternalLookup = (DatabaseSide, String) -> ExternalFile?
