package import CapsuleCore
import CapsuleHashing

/// A file with the content of a Core Data blob, beside the database in `.STEM_SUPPORT/_EXTERNAL_DATA/`.
package struct ExternalFile {
    package let size: UInt64
    package let digest: ContentDigest
    /// Reads the beginning of the file: all of it if the file is short enough to be examined.
    package let head: () -> [UInt8]

    package init(size: UInt64, digest: ContentDigest, head: @autoclosure @escaping () -> [UInt8] = []) {
        self.size = size
        self.digest = digest
        self.head = head
    }
}

/// Finds a file of a side by its name. Returns nil if there is none.
package typealias ExternalLookup = (DatabaseSide, String) -> ExternalFile?

/// The prefix of a Core Data blob whose content may be in a file.
enum ExternalReference {
    private static let inline: UInt8 = 1
    private static let file: UInt8 = 2
    private static let nameLength = 36

    /// Returns the name of the file with the content, or nil unless the entire blob is 0x02 and a UUID, with or without a NUL at
    /// the end.
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

    /// Returns the content of a blob that is stored inline although it could be in a file, or nil for other blobs.
    static func content(_ blob: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        blob.first == inline ? UnsafeRawBufferPointer(rebasing: blob.dropFirst()) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// Compares Core Data blobs by their content, stored inline or in files.
struct ExternalBlobEquality {
    let external: ExternalLookup

    /// Returns true if two blobs have the same content, or nil if neither is the name of a file, so that their bytes decide.
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
            // If both files are missing, only the names can be compared.
            guard let oldFile, let newFile else { return oldFile == nil && newFile == nil && oldName == newName }
            return oldFile.digest == newFile.digest && oldFile.size == newFile.size
        case (let oldName?, nil): return isSame(external(.old, oldName), new)
        case (nil, let newName?): return isSame(external(.new, newName), old)
        }
    }

    /// Returns true if a file has the same content as an inline blob. Core Data moves content between the two when its length
    /// changes.
    private func isSame(_ file: ExternalFile?, _ blob: UnsafeRawBufferPointer) -> Bool {
        guard let file, let content = ExternalReference.content(blob), file.size == UInt64(content.count) else { return false }
        var hasher = SHA256Hasher()
        return hasher.digest(of: content) == file.digest
    }
}
