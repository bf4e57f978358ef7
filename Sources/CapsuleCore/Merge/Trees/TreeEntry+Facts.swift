import CapsulePropertyList

extension TreeEntry {
    /// The entry as conflicts tell of it: `{type, mode, size, digest, target}`, what is missing is left out (docs/merge.md, section 3).
    ///
    /// - Parameters:
    ///   - path: where the conflict is; the entry's own is told where it is another.
    ///   - hasMode: whether its mode is known.
    func facts(at path: RelativePath, hasMode: Bool) -> PlistValue {
        var facts = PlistDictionary()
        if self.path != path { facts["path"] = .name(self.path.bytes) }
        facts["type"] = .string(PlistString(kind.word))
        if kind != .link, hasMode { facts["mode"] = .string(PlistString(mode.octal)) }
        switch kind {
        case .file, .identity:
            facts["size"] = .integer(PlistInteger(size))
            facts["digest"] = .string(PlistString(digest.hex))
        case .link: facts["target"] = .name(target)
        case .directory: break
        }
        return .dictionary(facts)
    }

    /// Whether both have the same bytes, or lead to the same place, or are directories.
    func hasContent(of other: TreeEntry) -> Bool {
        guard kind == other.kind else { return false }
        switch kind {
        case .file, .identity: return size == other.size && digest == other.digest
        case .link: return target == other.target
        case .directory: return true
        }
    }
}
