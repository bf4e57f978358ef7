package import CapsulePropertyList

/// A comparison of two property lists. Its pending steps are on an explicit stack.
struct PlistDiffer {
    private enum WorkItem {
        case compare(PlistValue, PlistValue, DiffPath)
        case report(PlistChange)
    }

    let identities: ArrayIdentities
    let limit: Int
    private let isWhole: (PlistPointer) -> Bool
    private let keeps: (PlistChange) -> Bool
    /// The number of changes that were found, including those not kept.
    private var total = 0
    private(set) var changes: [PlistChange] = []
    private(set) var bounds: Set<PlistDiff.Bound> = []
    private(set) var unresolved: [PlistDiff.Unresolved] = []
    private var pending: [WorkItem] = []
    private var classes = ValueInterner()
    private var documents = NestedPlists()

    init(
        identities: ArrayIdentities, limit: Int, isWhole: @escaping (PlistPointer) -> Bool, keeps: @escaping (PlistChange) -> Bool
    ) {
        self.isWhole = isWhole
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
                guard old != new else { continue }
                // The step that was pushed last is taken next.
                pending += try steps(old, new, place).reversed()
            }
        }
    }

    private mutating func steps(_ old: PlistValue, _ new: PlistValue, _ place: DiffPath) throws(OverlayError) -> [WorkItem] {
        guard place.depth < PlistPointer.maximumSteps else {
            bounds.insert(.depth)
            return [.report(PlistChange(.modified(old: old, new: new), at: place))]
        }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)) where !isWhole(place.pointer):
            return steps(old, new, place)
        case (.array(let old), .array(let new)):
            return try steps(old, new, place)
        case (.data(let oldBytes), .data(let newBytes)):
            return steps(oldBytes, newBytes, place)
        default:
            return [.report(PlistChange(.modified(old: old, new: new), at: place))]
        }
    }

    private mutating func steps(_ old: PlistDictionary, _ new: PlistDictionary, _ place: DiffPath) -> [WorkItem] {
        var place = place
        if !place.isArchived {
            let graphs = documents.archives(.dictionary(old), .dictionary(new), depth: place.documents)
            if documents.isCutShort { bounds.insert(.nestedDocuments) }
            // For property lists in data, the gap was noted when the data was read.
            if let gap = graphs.gap, place.pointer.steps.last != DiffPath.plistStep { record(gap, at: place) }
            if case .trees(let oldTree, let newTree) = graphs {
                let inside = place.enteringArchive()
                if oldTree != newTree { return [.compare(oldTree, newTree, inside)] }
                if KeyedArchive.haveSameObjects(old, new) { return [] }
                // The graph is the same but stored in another way, for example with unused or duplicate objects.
                return [.report(PlistChange(.encoding(old: .binary, new: .binary), at: inside))]
            }
        } else if NestedPlists.areOfTwoClasses(old, new) {
            return [.report(PlistChange(.modified(old: .dictionary(old), new: .dictionary(new)), at: place))]
        } else if let name = NestedPlists.className(old, new) {
            place = place.within(name)
        }
        place = place.named([Secrets.naming(in: old), Secrets.naming(in: new)])
        var steps: [WorkItem] = []
        for (key, value) in old {
            if let other = new[key] {
                if value != other { steps.append(.compare(value, other, place.appending(key))) }
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
        _ old: [PlistValue], _ new: [PlistValue], _ place: DiffPath
    ) throws(OverlayError) -> [WorkItem] {
        let identity = try identities.identity(at: place.identitySteps)
        let pairing = ElementPairing(old, new, identity, &classes)
        let names = ElementPointers(old, new, identity)
        var steps: [WorkItem] = []
        var removed = pairing.removed[...]
        for (oldIndex, newIndex) in pairing.pairs {
            while let index = removed.first, index < oldIndex {
                steps.append(.report(PlistChange(.deleted(old[index]), at: place.appending(names.removed(index)))))
                removed.removeFirst()
            }
            if old[oldIndex] == new[newIndex] { continue }
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

    private mutating func record(_ gap: NestedGap, at place: DiffPath) {
        guard unresolved.count < PlistDiff.unresolvedLimit else {
            bounds.insert(.nestedDocuments)
            return
        }
        unresolved.append(PlistDiff.Unresolved(pointer: place.pointer, gap: gap))
    }

    private mutating func steps(_ old: [UInt8], _ new: [UInt8], _ place: DiffPath) -> [WorkItem] {
        let found = documents.read(old, new, depth: place.documents)
        if documents.isCutShort { bounds.insert(.nestedDocuments) }
        switch found {
        case .data(let gap):
            return [.report(PlistChange(.modified(old: .data(old), new: .data(new)), at: place, nestedGap: gap))]
        case .archives(let old, let new, let haveSameObjects):
            let inside = place.enteringArchive()
            if old.value != new.value { return [.compare(old.value, new.value, inside)] }
            if old.format == new.format, haveSameObjects { return [] }
            return [.report(PlistChange(.encoding(old: old.format, new: new.format), at: inside))]
        case .plists(let old, let new, let gap):
            if let gap { record(gap, at: place) }
            let inside = place.entering(DiffPath.plistStep)
            if old.value != new.value { return [.compare(old.value, new.value, inside)] }
            return [.report(PlistChange(.encoding(old: old.format, new: new.format), at: inside))]
        }
    }
}

extension PlistChange {
    fileprivate init(_ kind: Kind, at place: DiffPath, nestedGap: NestedGap? = nil) {
        self.init(kind, at: place.pointer, in: place.className, nestedGap: nestedGap, naming: place.naming)
    }
}

/// The place of a comparison: the pointer that is shown, and the steps that the rules of array identity are matched with.
package struct DiffPath {
    package static let plistStep: PlistString = "<plist>"
    package static let archiveStep: PlistString = "<archive>"
    package static let documentSteps = [plistStep, archiveStep]

    package static let root = DiffPath(pointerSteps: [], identitySteps: [], documents: 0)

    private var pointerSteps: [PlistString]
    /// The steps of the pointer, but with each array element by its index.
    package private(set) var identitySteps: [PlistString]
    /// The number of nested documents that contain the place.
    private(set) var documents: Int
    private(set) var isArchived = false
    /// The class of the object in such a graph that contains the place.
    private(set) var className: PlistString?
    private(set) var naming: SecretName = []

    private init(pointerSteps: [PlistString], identitySteps: [PlistString], documents: Int) {
        self.pointerSteps = pointerSteps
        self.identitySteps = identitySteps
        self.documents = documents
    }

    package var pointer: PlistPointer { PlistPointer(steps: pointerSteps) }
    package var depth: Int { pointerSteps.count }
    /// Returns the place of a dictionary's entry, or of an array's element that is not compared inside.
    package func appending(_ step: PlistString) -> DiffPath { appending(step, identity: step) }

    package func appending(_ step: PlistString, index: Int) -> DiffPath {
        appending(step, identity: PlistString(String(index)))
    }

    package func appending(index: Int) -> DiffPath { appending(PlistString(String(index))) }

    func entering(_ step: PlistString) -> DiffPath {
        var place = appending(step)
        place.documents += 1
        place.isArchived = false
        place.className = nil
        return place
    }

    func enteringArchive() -> DiffPath {
        var place = entering(Self.archiveStep)
        place.isArchived = true
        return place
    }

    func named(_ names: SecretName) -> DiffPath {
        guard !names.isEmpty else { return self }
        var place = self
        place.naming.formUnion(names)
        return place
    }

    func within(_ className: PlistString) -> DiffPath {
        var place = self
        place.className = className
        return place
    }

    private func appending(_ step: PlistString, identity: PlistString) -> DiffPath {
        var place = self
        place.pointerSteps.append(step)
        place.identitySteps.append(identity)
        return place
    }
}
