import CapsulePropertyList

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
