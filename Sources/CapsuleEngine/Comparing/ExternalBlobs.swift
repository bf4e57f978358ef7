import CapsuleCore
import CapsuleSQLite

/// Finds the files of Core Data's external blobs in the trees, and notes which of those that differ were asked for.
final class ExternalBlobs {
    private let old: Directory?
    private let new: Directory?
    private let changed: Set<RelativePath>
    /// The paths that differ and belong to rows.
    private(set) var compared: Set<RelativePath> = []

    /// Where one side has its blobs.
    private struct Directory {
        let side: ComparedSide
        let path: RelativePath
        let root: TreeRoot
    }

    /// Blobs that are looked into are no longer.
    private static let longestHead: UInt64 = 1 << 20

    init(old: (side: ComparedSide, place: Int), new: (side: ComparedSide, place: Int), changed: Set<RelativePath>) {
        self.old = Self.directory(old.side, old.place)
        self.new = Self.directory(new.side, new.place)
        self.changed = changed
    }

    private static func directory(_ side: ComparedSide, _ place: Int) -> Directory? {
        let entry = side.tree.entries[place]
        guard let path = DatabaseUnit.externalData(of: entry.path) else { return nil }
        return Directory(side: side, path: path, root: entry.root)
    }

    func find(_ side: DatabaseSide, _ name: String) -> ExternalFile? {
        guard let directory = side == .old ? old : new, let path = try? directory.path.appending(Array(name.utf8)),
            let place = directory.side.tree.entries.place(of: path, in: directory.root)
        else { return nil }
        let entry = directory.side.tree.entries[place]
        guard entry.kind == .file, directory.side.failures[place] == nil else { return nil }
        guard changed.contains(path) else { return ExternalFile(size: entry.size, digest: entry.digest) }
        compared.insert(path)
        return ExternalFile(size: entry.size, digest: entry.digest, head: head(of: place, in: directory.side))
    }

    private func head(of place: Int, in side: ComparedSide) -> [UInt8] {
        let size = side.tree.entries[place].size
        guard size <= Self.longestHead, let file = try? side.open(place) else { return [] }
        return (try? ComparedContent(file, size: size).all()) ?? []
    }
}
