import CapsulePropertyList

/// Where a comparison is: the pointer that is shown, and the steps that rules of identity are matched with.
struct PlistPlace {
    static let root = PlistPlace(pointerSteps: [], identitySteps: [], documents: 0)

    private let pointerSteps: [PlistString]
    /// As the pointer, with each element by its index.
    let identitySteps: [PlistString]
    /// The number of nested documents that it is in.
    let documents: Int

    var pointer: PlistPointer { PlistPointer(steps: pointerSteps) }
    var depth: Int { pointerSteps.count }

    /// Of a dictionary's entry, or an array's element that nothing is looked for in.
    func appending(_ step: PlistString) -> PlistPlace {
        PlistPlace(pointerSteps: pointerSteps + [step], identitySteps: identitySteps + [step], documents: documents)
    }

    /// Of an array's element.
    func appending(_ step: PlistString, index: Int) -> PlistPlace {
        PlistPlace(
            pointerSteps: pointerSteps + [step], identitySteps: identitySteps + [PlistString(String(index))], documents: documents
        )
    }

    /// Of an array's element, by its index.
    func appending(index: Int) -> PlistPlace { appending(PlistString(String(index))) }

    /// Of what data holds.
    func entering(_ step: PlistString) -> PlistPlace {
        PlistPlace(pointerSteps: pointerSteps + [step], identitySteps: identitySteps + [step], documents: documents + 1)
    }
}
