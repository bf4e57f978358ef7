import CapsuleCore
import CapsuleSQLite

/// Finds the files of Core Data's external blobs in the trees, and notes which of those that differ were asked for.
final class ExternalBlobs {
    private let old: Directory?
    private let new: Directory?
    private let changed: Set<RelativePath>
    /// Bytes of a blob that is looked into.
    private let longest: UInt64
    /// The files whose bytes are known to be those of their digests, by their places.
    private var checked: [DatabaseSide: Set<Int>] = [:]
    /// The paths that differ and belong to rows.
    private(set) var compared: Set<RelativePath> = []
    /// Why the first file could not be read that had to be; nil where all could: what is said of rows is worth nothing otherwise.
    private(set) var failure: CapsuleError?

    /// Where one side has its blobs.
    private struct Directory {
        let side: ComparedSide
        let path: RelativePath
        let root: TreeRoot
    }

    init(
        old: (side: ComparedSide, place: Int), new: (side: ComparedSide, place: Int), changed: Set<RelativePath>, longest: Int
    ) {
        self.old = Self.directory(old.side, old.place)
        self.new = Self.directory(new.side, new.place)
        self.changed = changed
        self.longest = UInt64(longest)
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
        guard entry.kind == .file else { return nil }
        if let failure = directory.side.failures[place] {
            note(failure)
            return nil
        }
        if changed.contains(path) {
            // It is told by its row from here on, and by nothing else.
            compared.insert(path)
            check(place, side, directory.side)
        }
        return ExternalFile(size: entry.size, digest: entry.digest, head: self.head(of: place, in: directory.side))
    }

    /// Compares a file with its digest, whatever its size: rows are compared by nothing else.
    private func check(_ place: Int, _ side: DatabaseSide, _ content: ComparedSide) {
        guard checked[side, default: []].insert(place).inserted else { return }
        do throws(CapsuleError) {
            try content.open(place).compare()
        } catch {
            note(error)
        }
    }

    /// All of a file that is looked into, else as much as shows what it is.
    private func head(of place: Int, in side: ComparedSide) -> [UInt8] {
        let size = side.tree.entries[place].size
        do throws(CapsuleError) {
            let content = ComparedContent(try side.open(place), size: size)
            var head = size <= longest ? try content.all() : nil
            if head == nil { head = try content.head() }
            try content.compare()
            return head ?? []
        } catch {
            note(error)
            return []
        }
    }

    private func note(_ error: CapsuleError) {
        if failure == nil { failure = error }
    }
}
