import CapsuleCore
import CapsuleHashing

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
