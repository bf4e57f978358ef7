import CapsulePropertyList

/// The steps by which pointers name the elements of three arrays, as ``ElementNames`` does it for two: `[KEY=VALUE]` where
/// one element alone is meant by it in each array that has it, else the index.
struct ElementSteps {
    private let base: [PlistString?]
    private let ours: [PlistString?]
    private let theirs: [PlistString?]
    private var counts: [PlistString: (base: Int, ours: Int, theirs: Int)] = [:]

    /// - Parameter key: what elements pair by; nil to name them by index.
    init(_ arrays: MergedArrays, key: PlistString?) {
        func selectors(_ elements: [PlistValue]) -> [PlistString?] {
            key == nil ? elements.map { _ in nil } : elements.map { $0.selector(key: key) }
        }
        base = selectors(arrays.base)
        ours = selectors(arrays.ours)
        theirs = selectors(arrays.theirs)
        for case let step? in base { counts[step, default: (0, 0, 0)].base += 1 }
        for case let step? in ours { counts[step, default: (0, 0, 0)].ours += 1 }
        for case let step? in theirs { counts[step, default: (0, 0, 0)].theirs += 1 }
    }

    /// The step to an element.
    func step(_ places: ArrayMembers.Places) -> PlistString {
        let found = [places.base.map { base[$0] }, places.ours.map { ours[$0] }, places.theirs.map { theirs[$0] }]
        let steps = found.compactMap { $0 }
        guard let step = steps.first ?? nil, steps.allSatisfy({ $0 == step }), let count = counts[step],
            count == (places.base == nil ? 0 : 1, places.ours == nil ? 0 : 1, places.theirs == nil ? 0 : 1)
        else { return Self.index(places) }
        return step
    }

    /// An element's index in the base; of one that was added the smaller one.
    static func index(_ places: ArrayMembers.Places) -> PlistString {
        let index = places.base ?? min(places.ours ?? .max, places.theirs ?? .max)
        return PlistString(String(index))
    }
}
