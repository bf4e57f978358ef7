import CapsuleCore

extension TargetPlanner {
    /// The target as it is and as it is to become, as sides of a comparison: what differs, and what is one with it.
    ///
    /// - Throws: for a file of the target that can't be read.
    mutating func sides() throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        var own = Set(items.compactMap(\.old))
        var others = Set(items.compactMap(\.new))
        var paths: Set<ContainerEdits.Place> = []
        for number in own { paths.insert(Self.place(target.container.entries[number])) }
        for number in others { paths.insert(Self.place(wanted.entries[number])) }
        own.formUnion(Self.units(around: paths, in: target.container.entries))
        others.formUnion(Self.units(around: paths, in: wanted.entries))
        try completeOwn(Array(own))
        try completeWanted(Array(others))
        return (Self.side(of: target.container, own), Self.side(of: wanted, others))
    }

    private static func place(_ entry: TreeEntry) -> ContainerEdits.Place {
        ContainerEdits.Place(root: entry.root, path: entry.path)
    }

    private static func side(of container: OpenedContainer, _ numbers: Set<Int>) -> ComparedSide {
        let selected = container.selecting(numbers.sorted().map { UInt32($0) })
        let tree = TreeSide(
            selected.entries, groups: selected.groups,
            withoutModes: Set(numbers.sorted().enumerated().filter { container.withoutModes.contains($0.element) }.map(\.offset)),
            hasAttributes: selected.hasAttributes)
        var side = ComparedSide(tree: tree, content: selected.content)
        side.origin = OverlayPackage.Origin(
            name: container.name, source: container.source, layout: container.layout, groups: container.groups)
        return side
    }

    /// The entries that may be one with others: databases, logs, and what lies in the directories of external blobs.
    private static func units(around places: Set<ContainerEdits.Place>, in entries: [TreeEntry]) -> [Int] {
        var numbers: [Int] = []
        var searched: Set<ContainerEdits.Place> = []
        func add(_ path: RelativePath, _ root: TreeRoot) {
            for name in [[]] + DatabaseUnit.companionSuffixes {
                guard let path = try? (path.parent ?? .root).appending(Array(path.name) + name) else { continue }
                if let number = entries.place(of: path, in: root) { numbers.append(number) }
            }
            guard let support = DatabaseUnit.support(of: path), searched.insert(.init(root: root, path: support)).inserted else {
                return
            }
            addAll(startingWith: support.bytes, root) { $0.isAtOrBelow(support) }
        }
        func addAll(startingWith start: [UInt8], _ root: TreeRoot, where isWanted: (RelativePath) -> Bool) {
            guard let first = try? RelativePath(validating: start) else { return }
            var number = entries.firstPlace(notBefore: first, in: root)
            while number < entries.count, entries[number].root == root, entries[number].path.bytes.starts(with: start) {
                if isWanted(entries[number].path) { numbers.append(number) }
                number += 1
            }
        }
        for place in places {
            add(place.path, place.root)
            for candidate in DatabaseUnit.databases(ofMember: place.path) {
                let key = ContainerEdits.Place(root: place.root, path: candidate.path)
                guard searched.insert(key).inserted else { continue }
                add(candidate.path, place.root)
                guard candidate.isStem else { continue }
                let before = numbers.count
                addAll(startingWith: candidate.path.bytes + [UInt8(ascii: ".")], place.root) {
                    !$0.bytes.dropFirst(candidate.path.bytes.count).contains(UInt8(ascii: "/"))
                }
                for number in numbers[before...] { add(entries[number].path, place.root) }
            }
        }
        return numbers
    }
}
