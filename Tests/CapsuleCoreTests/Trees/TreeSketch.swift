import CapsuleCore

/// A tree of paths, each with a letter for its kind and a word for its content: `f:cat` is a file, `d` a directory, `l:target` a
/// link.
struct TreeSketch {
    var entries: [TreeEntry] = []

    init(_ lines: [String: String], groups: [String] = []) throws {
        for (name, text) in lines {
            let path = try RelativePath(validating: Array(name.utf8))
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            let content = parts.count > 1 ? parts[1] : ""
            var root = TreeRoot.tree
            for (number, group) in groups.enumerated() where name.hasPrefix("AppGroups/\(group)/") {
                root = TreeRoot.group(number) ?? .tree
            }
            switch parts[0] {
            case "d":
                entries.append(TreeEntry(path: path, root: root, kind: .directory, mode: FileMode(0o755), modified: .epoch))
            case "l":
                entries.append(
                    TreeEntry(
                        path: path, root: root, kind: .link, mode: FileMode(0o777), modified: .epoch,
                        target: Array(content.utf8)))
            case "w":
                entries.append(TreeEntry(path: path, root: .wrapper, kind: .file, mode: FileMode(0o644), modified: .epoch))
            case "i":
                entries.append(
                    TreeEntry(
                        path: path, root: root, kind: .identity, mode: FileMode(0o644), modified: .epoch,
                        size: UInt64(content.utf8.count), digest: Self.digest(of: content)))
            default:
                entries.append(
                    TreeEntry(
                        path: path, root: root, kind: .file, mode: FileMode(parts[0] == "x" ? 0o755 : 0o644), modified: .epoch,
                        size: UInt64(content.utf8.count), digest: Self.digest(of: content)))
            }
        }
        entries.sort(by: TreeEntry.isOrdered)
    }

    /// Returns the same digest for equal contents, and never zero. A few words don't need SHA-256 to differ.
    private static func digest(of content: String) -> ContentDigest {
        ContentDigest { room in
            room[0] = 1
            for (place, byte) in content.utf8.prefix(31).enumerated() { room[place + 1] = byte }
        }
    }
}

extension TreeDiff.Item {
    /// `+ path`, `- path`, `~ path content mode`, `T path`, `> old new`.
    func line(_ old: TreeSide, _ new: TreeSide) -> String {
        let oldPath = self.old.map { old.entries[$0].path.description } ?? ""
        let newPath = self.new.map { new.entries[$0].path.description } ?? ""
        let what = (hasOtherContent ? " content" : "") + metadata.map { " " + $0.field.word }.joined()
        switch kind {
        case .added: return "+ \(newPath)"
        case .deleted: return "- \(oldPath)"
        case .modified: return "~ \(newPath)\(what)"
        case .type: return "T \(newPath)"
        case .renamed(let from): return "> \(from) \(newPath)\(what)"
        }
    }
}
