import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

extension ContainerEdits {
    /// Gives a property list that overlays changed its new bytes; one that is made, and the directories that are missing around
    /// it, too.
    mutating func put(
        _ bytes: [UInt8], for edited: OverlayTree.Edited, in tree: OverlayTree, _ moment: Timestamp
    ) throws(CapsuleError) {
        let path = tree.whole(edited.path)
        let place = Place(root: tree.root, path: path)
        var entry = self[place]?.entry ?? Self.made(edited.path, at: path, in: tree.root)
        if self[place] == nil { try makeParents(of: place, moment) }
        // Attributes of a file that nobody has read are not known, and it is to keep them.
        if let item = self[place], item.entry.digest == .zero, let reading = try item.open(in: base).attributes() {
            entry.attributes = reading.attributes
        }
        (entry.size, entry.digest, entry.modified) = (UInt64(bytes.count), SHA256Hasher.digest(of: bytes), moment)
        self[place] = Item(entry: entry, source: .madeUp(bytes))
    }

    /// A file as apps make theirs: preferences for nobody else.
    private static func made(_ path: RelativePath, at whole: RelativePath, in root: TreeRoot) -> TreeEntry {
        let isPreference = path.bytes.starts(with: Array("Library/Preferences/".utf8))
        return TreeEntry(
            path: whole, root: root, kind: .file, mode: FileMode(isPreference ? 0o600 : 0o644), modified: Timestamp(seconds: 0))
    }

    private mutating func makeParents(of place: Place, _ moment: Timestamp) throws(CapsuleError) {
        var path = place.path.parent
        while let directory = path, !base.isTop(directory, in: place.root) {
            let parent = Place(root: place.root, path: directory)
            if let known = self[parent] {
                guard known.entry.kind == .directory else {
                    throw CapsuleError("is not a directory, and an overlay creates a file in it", path: HostPath(directory.bytes))
                }
                return
            }
            let entry = TreeEntry(
                path: directory, root: place.root, kind: .directory, mode: FileMode(0o755), modified: moment)
            self[parent] = Item(entry: entry, source: .madeUp([]))
            path = directory.parent
        }
    }
}
