import CapsuleCore

extension [TreeEntry] {
    /// Sorts into the order of the index, where the tree's entries are side by side and in that order, and few are around them.
    ///
    /// That is how a container's entries come when they were listed in order and then got their roots: nothing has to be
    /// compared in the one long stretch.
    mutating func sortStretches() {
        guard let stretch = stretchOfTree(), count - stretch.count <= Self.mostOthers else {
            return sort(by: TreeEntry.isOrdered)
        }
        let others = self[..<stretch.lowerBound] + self[stretch.upperBound...]
        removeSubrange(stretch.upperBound...)
        removeSubrange(..<stretch.lowerBound)
        for entry in others { insert(entry, at: firstPlace(notBefore: entry.path, in: entry.root)) }
    }

    private static var mostOthers: Int { 64 }

    /// Where the tree's entries are; nil where they are in several places, or nowhere.
    private func stretchOfTree() -> Range<Int>? {
        guard let start = firstIndex(where: { $0.root == .tree }) else { return nil }
        let end = self[start...].firstIndex { $0.root != .tree } ?? count
        return self[end...].contains { $0.root == .tree } ? nil : start..<end
    }
}
