package import CapsuleCore
import CapsuleHashing

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

/// Finds a file of a side by its name; nil if there is none.
package typealias ExternalLookup = (DatabaseSide, String) -> ExternalFile?

/// What a Core Data blob that may be in a file begins with.
enum ExternalReference {
    private static let inline: UInt8 = 1
    private static let file: UInt8 = 2
    private static let nameLength = 36

    /// The name of the file with the content; nil unless the blob as a whole is 0x02 and a UUID, with a NUL behind it
    /// or without.
    static func name(_ blob: UnsafeRawBufferPointer) -> String? {
        guard blob.first == file, blob.dropFirst(nameLength + 1).elementsEqual([0]) || blob.count == nameLength + 1 else {
            return nil
        }
        let name = blob[1...nameLength]
        for (place, byte) in name.enumerated() {
            let isHyphen = [8, 13, 18, 23].contains(place)
            guard isHyphen ? byte == UInt8(ascii: "-") : isHexadecimal(byte) else { return nil }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The content of a blob that could be in a file and is not; nil for other blobs.
    static func content(_ blob: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        blob.first == inline ? UnsafeRawBufferPointer(rebasing: blob.dropFirst()) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// Compares Core Data blobs by their content, in files or not.
struct ExternalComparison {
    let external: ExternalLookup

    /// Whether two blobs have the same content; nil if neither is the name of a file, so that their bytes decide.
    func areEqual(_ column: ColumnPair, _ rows: RowOrder) -> Bool? {
        guard column.old >= 0, column.new >= 0, rows.old.type(column.old) == .blob,
            rows.new.type(column.new) == .blob
        else { return nil }
        let old = rows.old[column.old].bytes(isWide: rows.isOldWide)
        let new = rows.new[column.new].bytes(isWide: rows.isNewWide)
        switch (ExternalReference.name(old), ExternalReference.name(new)) {
        case (nil, nil): return nil
        case (let oldName?, let newName?):
            let oldFile = external(.old, oldName)
            let newFile = external(.new, newName)
            // Of two files that are both missing the names are all there is.
            guard let oldFile, let newFile else { return oldFile == nil && newFile == nil && oldName == newName }
            return oldFile.digest == newFile.digest && oldFile.size == newFile.size
        case (let oldName?, nil): return isSame(external(.old, oldName), new)
        case (nil, let newName?): return isSame(external(.new, newName), old)
        }
    }

    /// Whether a file has what a blob holds itself: Core Data moves content as its length changes.
    private func isSame(_ file: ExternalFile?, _ blob: UnsafeRawBufferPointer) -> Bool {
        guard let file, let content = ExternalReference.content(blob), file.size == UInt64(content.count) else { return false }
        var hasher = SHA256Hasher()
        return hasher.digest(of: content) == file.digest
    }
}
