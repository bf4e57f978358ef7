import CapsuleCore

extension RelativePath {
    /// Whether something holds for the path, or for one above it but the root.
    func isAtOrBelow(where isWanted: (RelativePath) -> Bool) -> Bool {
        var above: RelativePath? = self
        while let path = above, !path.isRoot {
            if isWanted(path) { return true }
            above = path.parent
        }
        return false
    }
}
