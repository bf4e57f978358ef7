/// The way down to an archived object, put together from its end.
struct ArchiveWay {
    private var parts: [[PlistPointerStep]] = []

    /// Puts the steps from a container to a child in front; if its elements were moved, the step to one goes by the new places.
    mutating func prepend(_ steps: [PlistPointerStep], moved positions: [Int]? = nil) {
        var steps = steps
        if let positions, steps.count > 1, case .index(let position) = steps[1] { steps[1] = .index(positions[position]) }
        parts.append(steps)
    }

    /// As a JSON Pointer; empty for no steps.
    var pointer: String { PlistPointerStep.pointer(parts.reversed().flatMap { $0 }) }
}

/// Where a container stands that an `ArchiveResolver` has looked into.
struct ArchivePlace {
    /// The place of the container around it, by number; the archive's top is place 0.
    let parent: Int
    /// The way from there.
    let steps: [PlistPointerStep]
    /// The archived object that it is for, if it has a number.
    let object: Int?
    /// Where its elements have gone to, if they were put into an order.
    var positions: [Int]?
}
