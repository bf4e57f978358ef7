import CapsuleCore

extension OpenedContainer {
    package var hasKeychain: Bool { groups.contains(ContainerNames.keychain) }

    /// The container without the device's keychain.
    func withoutKeychain() -> OpenedContainer {
        guard let number = groups.firstIndex(of: ContainerNames.keychain), let root = TreeRoot.group(number) else { return self }
        let own = ContainerNames.appGroups + [RelativePath.slash] + ContainerNames.keychain
        let others = groups.filter { $0 != ContainerNames.keychain }
        var kept = selecting(
            entries.indices.filter { number in
                let entry = entries[number]
                if entry.root == root { return false }
                guard entry.root == .wrapper else { return true }
                // The directory around the app groups goes with the last of them.
                return entry.path.bytes != own && (!others.isEmpty || entry.path.bytes != ContainerNames.appGroups)
            })
        kept.contents.keepNames(of: kept.entries)
        kept.renumber(groups: others)
        return kept
    }

    /// Gives the app groups the numbers that they have in another list with the same order. Groups that are not in it must have no
    /// entries.
    package mutating func renumber(groups others: [[UInt8]]) {
        var roots: [TreeRoot: TreeRoot] = [:]
        for (number, group) in groups.enumerated() {
            guard let place = others.firstIndex(of: group), let old = TreeRoot.group(number), let new = TreeRoot.group(place)
            else { continue }
            roots[old] = new
        }
        for number in entries.indices where entries[number].root.groupNumber != nil {
            entries[number].root = roots[entries[number].root] ?? entries[number].root
        }
        groups = others
    }
}
