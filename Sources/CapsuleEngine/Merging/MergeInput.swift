import CapsuleArchive
import CapsuleCore

/// One of the containers that are merged: listed, with all digests.
struct MergeInput: Sendable {
    let container: Container
    var opened: OpenedContainer
    /// Of the whole tree.
    let digest: ContentDigest
    /// Whether app groups lie elsewhere, or have no place.
    let lacksGroups: Bool

    /// - Throws: for a file that can't be read: what is not known can't be merged.
    init(_ container: Container, _ options: MergeOptions, progress: (any ProgressObserver)?) throws(CapsuleError) {
        self.container = container
        var taking = ContainerOptions(jobs: options.jobs)
        taking.statCache = options.usesCache
        var opened = try container.open(taking)
        if !opened.isDigested {
            let failures = try SideDigester(jobs: options.jobs, progress: progress).complete(&opened)
            if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
        }
        opened.statCache?.save()
        digest = TreeDigester.digest(of: opened.entries, .tree)
        lacksGroups = opened.layout == .directory || (opened.content.isLive && opened.groups.isEmpty)
        self.opened = opened
    }

    /// How files of conflicts name it.
    var named: ConflictsDocument.Input { ConflictsDocument.Input(source: container.argument, digest: digest.hex) }

    /// The tree, with these app groups.
    ///
    /// - Parameter passedOver: whether they are not merged.
    func side(passingOver passedOver: Bool) -> TreeSide {
        var side = TreeSide(
            opened.entries, groups: opened.groups, withoutModes: opened.withoutModes, hasAttributes: opened.hasAttributes)
        if passedOver { side.passedOver = Set(opened.groups) }
        return side
    }

    /// Numbers the app groups as they are among others; the entries keep their order.
    mutating func renumber(groups: [[UInt8]]) {
        guard groups != opened.groups else { return }
        // Files are opened by what they were listed as.
        opened.content = RelistedContent(opened.piecewiseContent, entries: opened.entries)
        opened.renumber(groups: groups)
    }
}

extension OpenedContainer {
    /// Numbers the app groups as they are among others, in the same order; those that are not among them have no entries.
    mutating func renumber(groups others: [[UInt8]]) {
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
