import CapsulePropertyList

/// One comparison of two property lists; what is still to be looked at is on a stack of its own.
struct PlistComparison {
    private enum Step {
        case compare(PlistValue, PlistValue, PlistPlace)
        case report(PlistChange)
    }

    let identities: ArrayIdentities
    /// Changes after which it ends.
    let limit: Int
    /// Whether a change is kept.
    private let keeps: (PlistChange) -> Bool
    /// All that were found.
    private var total = 0
    private(set) var changes: [PlistChange] = []
    private(set) var bounds: Set<PlistDiff.Bound> = []
    private(set) var unresolved: [PlistDiff.Unresolved] = []
    private var pending: [Step] = []
    private var memo = EqualityMemo()
    private var classes = ElementClasses()
    private var documents = NestedPlists()

    init(identities: ArrayIdentities, limit: Int, keeps: @escaping (PlistChange) -> Bool) {
        self.identities = identities
        self.limit = limit
        self.keeps = keeps
    }

    mutating func run(_ old: PlistValue, _ new: PlistValue) throws(OverlayError) {
        pending = [.compare(old, new, .root)]
        while let step = pending.popLast() {
            switch step {
            case .report(let change):
                guard total < limit else {
                    bounds.insert(.changes)
                    return
                }
                total += 1
                if keeps(change) { changes.append(change) }
            case .compare(let old, let new, let place):
                guard !memo.areEqual(old, new) else { continue }
                // The last step that was pushed is the next one to be taken.
                pending += try steps(old, new, place).reversed()
            }
        }
    }

    /// What two values that differ come to.
    private mutating func steps(_ old: PlistValue, _ new: PlistValue, _ place: PlistPlace) throws(OverlayError) -> [Step] {
        guard place.depth < PlistPointer.maximumSteps else {
            bounds.insert(.depth)
            return [.report(PlistChange(.modified(old: old, new: new), at: place))]
        }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            return steps(old, new, place)
        case (.array(let old), .array(let new)):
            return try steps(old, new, place)
        case (.data(let oldBytes), .data(let newBytes)):
            return steps(oldBytes, newBytes, place)
        default:
            return [.report(PlistChange(.modified(old: old, new: new), at: place))]
        }
    }

    private mutating func steps(_ old: PlistDictionary, _ new: PlistDictionary, _ place: PlistPlace) -> [Step] {
        var place = place
        if !place.isArchived {
            let graphs = documents.archives(.dictionary(old), .dictionary(new), depth: place.documents)
            if documents.isCutShort { bounds.insert(.nestedDocuments) }
            // That of data was noted there.
            if let gap = graphs.gap, place.pointer.steps.last != PlistPlace.plistStep { note(gap, at: place) }
            if case .trees(let oldTree, let newTree) = graphs {
                let inside = place.enteringArchive()
                if !memo.areEqual(oldTree, newTree) { return [.compare(oldTree, newTree, inside)] }
                if KeyedArchive.areRenumbered(old, new) { return [] }
                // The same graph, put down in another way: what nothing refers to, or what is there twice.
                return [.report(PlistChange(.encoding(old: .binary, new: .binary), at: inside))]
            }
        } else if NestedPlists.areOfTwoClasses(old, new) {
            return [.report(PlistChange(.modified(old: .dictionary(old), new: .dictionary(new)), at: place))]
        } else if let name = NestedPlists.className(old, new) {
            place = place.within(name)
        }
        var steps: [Step] = []
        for (key, value) in old {
            if let other = new[key] {
                if !memo.areEqual(value, other) { steps.append(.compare(value, other, place.appending(key))) }
            } else {
                steps.append(.report(PlistChange(.deleted(value), at: place.appending(key))))
            }
        }
        for (key, value) in new where old[key] == nil {
            steps.append(.report(PlistChange(.added(value), at: place.appending(key))))
        }
        return steps
    }

    private mutating func steps(
        _ old: [PlistValue], _ new: [PlistValue], _ place: PlistPlace
    ) throws(OverlayError) -> [Step] {
        let identity = try identities.identity(at: place.identitySteps)
        let pairing = ElementPairing(old, new, identity, &classes)
        if !classes.isExact { bounds.insert(.elements) }
        let names = ElementNames(old, new, identity)
        var steps: [Step] = []
        var removed = pairing.removed[...]
        for (oldIndex, newIndex) in pairing.pairs {
            while let index = removed.first, index < oldIndex {
                steps.append(.report(PlistChange(.deleted(old[index]), at: place.appending(names.removed(index)))))
                removed.removeFirst()
            }
            if memo.areEqual(old[oldIndex], new[newIndex]) { continue }
            steps.append(
                .compare(old[oldIndex], new[newIndex], place.appending(names.paired(oldIndex, newIndex), index: oldIndex)))
        }
        for index in removed {
            steps.append(.report(PlistChange(.deleted(old[index]), at: place.appending(names.removed(index)))))
        }
        for index in pairing.added {
            steps.append(.report(PlistChange(.added(new[index]), at: place.appending(names.added(index)))))
        }
        if let order = pairing.order {
            let change = PlistChange.Kind.order(
                old: order.old.map { names.label(of: old[$0]) }, new: order.new.map { names.label(of: new[$0]) })
            steps.append(.report(PlistChange(change, at: place)))
        }
        return steps
    }

    /// Notes that keyed archives at a place are not compared as such.
    private mutating func note(_ gap: NestedGap, at place: PlistPlace) {
        guard unresolved.count < PlistDiff.unresolvedLimit else {
            bounds.insert(.nestedDocuments)
            return
        }
        unresolved.append(PlistDiff.Unresolved(pointer: place.pointer, gap: gap))
    }

    /// What data comes to, of which property lists are compared inside.
    private mutating func steps(_ old: [UInt8], _ new: [UInt8], _ place: PlistPlace) -> [Step] {
        let found = documents.read(old, new, depth: place.documents)
        if documents.isCutShort { bounds.insert(.nestedDocuments) }
        switch found {
        case .data(let gap):
            return [.report(PlistChange(.modified(old: .data(old), new: .data(new)), at: place, nestedGap: gap))]
        case .archives(let old, let new, let areRenumbered):
            let inside = place.enteringArchive()
            if !memo.areEqual(old.value, new.value) { return [.compare(old.value, new.value, inside)] }
            if old.format == new.format, areRenumbered { return [] }
            return [.report(PlistChange(.encoding(old: old.format, new: new.format), at: inside))]
        case .plists(let old, let new, let gap):
            if let gap { note(gap, at: place) }
            let inside = place.entering(PlistPlace.plistStep)
            if !memo.areEqual(old.value, new.value) { return [.compare(old.value, new.value, inside)] }
            return [.report(PlistChange(.encoding(old: old.format, new: new.format), at: inside))]
        }
    }
}

extension PlistChange {
    fileprivate init(_ kind: Kind, at place: PlistPlace, nestedGap: NestedGap? = nil) {
        self.init(kind, at: place.pointer, in: place.className, nestedGap: nestedGap)
    }
}

/// Where a comparison is: the pointer that is shown, and the steps that rules of identity are matched with.
struct PlistPlace {
    /// The steps into what data holds.
    static let plistStep: PlistString = "<plist>"
    static let archiveStep: PlistString = "<archive>"
    static let documentSteps = [plistStep, archiveStep]

    static let root = PlistPlace(pointerSteps: [], identitySteps: [], documents: 0)

    private var pointerSteps: [PlistString]
    /// As the pointer, with each element by its index.
    private(set) var identitySteps: [PlistString]
    /// The number of nested documents that it is in.
    private(set) var documents: Int
    /// Whether it is in the graph of a keyed archive.
    private(set) var isArchived = false
    /// In such a graph the class of the object that it is in.
    private(set) var className: PlistString?

    private init(pointerSteps: [PlistString], identitySteps: [PlistString], documents: Int) {
        self.pointerSteps = pointerSteps
        self.identitySteps = identitySteps
        self.documents = documents
    }

    var pointer: PlistPointer { PlistPointer(steps: pointerSteps) }
    var depth: Int { pointerSteps.count }

    /// Of a dictionary's entry, or an array's element that nothing is looked for in.
    func appending(_ step: PlistString) -> PlistPlace { appending(step, identity: step) }

    /// Of an array's element.
    func appending(_ step: PlistString, index: Int) -> PlistPlace {
        appending(step, identity: PlistString(String(index)))
    }

    /// Of an array's element, by its index.
    func appending(index: Int) -> PlistPlace { appending(PlistString(String(index))) }

    /// Of what data holds.
    func entering(_ step: PlistString) -> PlistPlace {
        var place = appending(step)
        place.documents += 1
        place.isArchived = false
        place.className = nil
        return place
    }

    /// Of a keyed archive's graph.
    func enteringArchive() -> PlistPlace {
        var place = entering(Self.archiveStep)
        place.isArchived = true
        return place
    }

    /// The same place, in an archived object of a class.
    func within(_ className: PlistString) -> PlistPlace {
        var place = self
        place.className = className
        return place
    }

    private func appending(_ step: PlistString, identity: PlistString) -> PlistPlace {
        var place = self
        place.pointerSteps.append(step)
        place.identitySteps.append(identity)
        return place
    }
}
