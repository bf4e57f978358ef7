import CapsulePropertyList

extension Overlay {
    /// The steps that would do something else, or fail, if the overlay were applied again to its own result (docs/overlay.md,
    /// section 6).
    ///
    /// The values in the result are not known, so a listed step may be harmless. A step that is not listed is harmless. Records are
    /// never listed: a file that already has its new state is left alone.
    ///
    /// - Returns: a note for each step, with the step's name, its path and the reason.
    public var notRepeatable: [OverlayNote] {
        var notes: [OverlayNote] = []
        let recorded = Set(files.lazy.filter { $0.old?.content != nil && $0.new?.content != nil }.map(\.path))
        for group in repetitionGroups {
            // If a record has both contents, operations only run on a file that has neither.
            let isRecorded = group.allSatisfy { targets[$0].literalPath.map(recorded.contains) == true }
            let steps = group.flatMap { targets[$0].repeatedSteps(ArrayIdentities(arrays)) }
            let place = targets[group[0]].path.map { " on \($0)" } ?? ""
            for (number, step) in steps.enumerated() {
                guard let reason = step.reasonNotToRepeat(before: steps[(number + 1)...]) else { continue }
                notes.append(
                    OverlayNote(
                        "\(step.name)\(place): \(reason)\(isRecorded ? ", unless the file is exactly what the overlay made of it" : "")",
                        at: step.operation.path)
                )
            }
        }
        return notes
    }

    /// Groups of targets that may change the same property list, by their numbers.
    private var repetitionGroups: [[Int]] {
        let isPattern = targets.contains { $0.path?.utf8.contains { "*?[\\$".utf8.contains($0) } == true }
        guard !isPattern else { return [Array(targets.indices)] }
        var groups: [String: [Int]] = [:]
        for (number, target) in targets.enumerated() { groups["\(target.root):\(target.path ?? "")", default: []].append(number) }
        return groups.values.sorted { $0[0] < $1[0] }
    }
}

extension Overlay.Target {
    /// Returns all steps of the target, in order, as operations.
    fileprivate func repeatedSteps(_ identities: ArrayIdentities) -> [IdempotencyCheck] {
        remove.enumerated().map {
            IdempotencyCheck("Remove \($0.offset)", PlistOperation(.remove, at: $0.element), maySpare: true)
        }
            + (merge.map { [IdempotencyCheck("Merge", PlistOperation(.merge($0), at: .root))] } ?? [])
            + operations.enumerated().map {
                IdempotencyCheck("operation \($0.offset)", $0.element, findsItself: Self.findsItself($0.element, identities))
            }
    }

    /// Returns true if an operation inserts an element that it finds the next time: in a set, or by its key.
    private static func findsItself(_ operation: PlistOperation, _ identities: ArrayIdentities) -> Bool {
        guard case .insert(let new) = operation.action, operation.path.mayEndInArray, let array = operation.path.parent,
            // Rules are matched with indices, and the index is not known here.
            !array.steps.contains(where: { $0 == "-" || $0.selector != nil }),
            let identity = try? identities.identity(at: array.steps)
        else { return false }
        switch identity {
        case .set: return true
        case .keyed(let key, let isOptional, let ignoresCase):
            return KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase).value(of: new) != nil
        default: return false
        }
    }
}

/// Checks that one operation is idempotent, given the operations after it.
private struct IdempotencyCheck {
    /// `operation 2`, `Merge`, `Remove 0`.
    let name: String
    let operation: PlistOperation
    /// True if it is not an error that there is nothing to remove. Such a step may then remove a value that only a later step adds.
    private let maySpare: Bool
    /// True if an `insert` finds the element that it inserted, in a set or by its key.
    private let findsItself: Bool

    init(_ name: String, _ operation: PlistOperation, maySpare: Bool = false, findsItself: Bool = false) {
        self.name = name
        self.findsItself = findsItself
        self.operation = operation
        if case .subtract = operation.action { self.maySpare = true } else { self.maySpare = maySpare }
    }

    private var path: PlistPointer { operation.path }

    /// Returns the reason why the operation would have another result the second time; nil if there is none.
    ///
    /// The operations before it are repeated as well, with the same results. So only those after it can have changed what it finds.
    func reasonNotToRepeat(before later: ArraySlice<IdempotencyCheck>) -> String? {
        if let reason = reasonByItself { return reason }
        if let step = firstToReorder(later) { return "the order of elements is changed by \(step.name)" }
        for step in later {
            if let reason = reason(after: step) { return "\(reason) \(step.name)" }
        }
        return nil
    }

    /// The reason that does not depend on the other operations.
    private var reasonByItself: String? {
        switch operation.action {
        case .add where path.mayEndInArray: return "'add' inserts into an array each time"
        case .insert where path.mayEndInArray && !findsItself: return "'insert' inserts into an array each time"
        case .copy where path.mayEndInArray: return "'copy' inserts into an array each time"
        case .copy(let from) where path != from && path.mayTouch(from):
            return "'copy' changes its own source"
        case .remove where !maySpare: return "'remove' fails once the value is gone"
        case .remove where path.last?.isIndex == true: return "its index then names the next element"
        case .move: return "'move' fails once the value is moved"
        case .union where path.steps.contains("-"), .merge where path.steps.contains("-"):
            return "'\(operation.action.name)' appends to an array each time"
        default: break
        }
        return disturbsSelector(of: self) ? "'\(operation.action.name)' changes a value that '\(path.selectors)' matches" : nil
    }

    /// Returns how a later step interferes with this one, as a phrase that the later step's name completes.
    private func reason(after later: IdempotencyCheck) -> String? {
        if case .test = later.operation.action { return nil }
        let place = later.path
        if case .test(let value) = operation.action {
            return later.changes(path, from: value) ? "the second time, 'test' fails because of" : nil
        }
        // `insert` accepts the value that it inserted, and no other.
        if case .insert(let value) = operation.action, later.changes(path, from: value) {
            return "the second time, 'insert' fails because of"
        }
        if findsItself, let array = path.parent, !later.addsElements, later.touches(array) { return "its array is changed by" }
        if case .copy(let from) = operation.action, later.touches(from) { return "the source of 'copy' is changed by" }
        if later.disturbsSelector(of: self) { return "a value its selector matches is changed by" }
        guard path.mayTouch(place) else { return nil }
        switch place.steps.count - path.steps.count {
        case 0: return reason(afterSamePlace: later)
        case ..<0: return reason(afterAround: later)
        default: return reason(afterWithin: later)
        }
    }

    private func reason(afterSamePlace later: IdempotencyCheck) -> String? {
        switch (operation.action, later.operation.action) {
        case (.add, _), (.insert, _), (.copy, _): return nil
        case (.remove, _): return nil
        case (.replace, .remove): return "nothing is left to replace after"
        case (.replace, _): return nil
        case (.merge(let part), .add(let new)), (.merge(let part), .insert(let new)), (.merge(let part), .replace(let new)):
            return part.isContainer || new.isContainer ? "it finds a different value after" : nil
        case (.merge(let part), .merge(let other)):
            return part.sharesArray(with: other) ? "it finds different elements after" : nil
        case (.union, .union), (.union, .subtract), (.subtract, .union), (.subtract, .subtract): return nil
        default: return "it finds a different value after"
        }
    }

    /// Returns the reason if this step's place is inside the later step's place.
    private func reason(afterAround later: IdempotencyCheck) -> String? {
        let rest = path.steps.dropFirst(later.path.steps.count)
        switch later.operation.action {
        case .merge(let part):
            if maySpare {
                let isArray = part.value(along: rest).map { $0.array != nil } ?? true
                let isRemoval = if case .remove = operation.action { true } else { false }
                return part.hasLeaf(along: rest.dropLast()) || (!isArray && !isRemoval) ? "its target is changed by" : nil
            }
            return part.hasArray(along: rest) ? "its array is merged by" : nil
        case .union:
            return maySpare ? "its target is changed by" : nil
        case .subtract:
            return rest.first?.isIndex == true ? "its index names a different element after" : nil
        default:
            return "its target is replaced by"
        }
    }

    /// Returns the reason if the later step's place is inside this step's value.
    private func reason(afterWithin later: IdempotencyCheck) -> String? {
        let rest = later.path.steps.dropFirst(path.steps.count)
        switch operation.action {
        case .add, .replace, .copy, .remove:
            // This step writes the whole value again, and the later step then changes it again.
            return nil
        case .merge(let part):
            if part.hasArray(along: rest) { return "its array is changed by" }
            guard let own = part.value(along: rest) else { return nil }
            switch later.operation.action {
            case .add(let new), .insert(let new), .replace(let new):
                return own.isContainer || new.isContainer ? "it finds a different value after" : nil
            case .merge(let other): return own.sharesArray(with: other) ? "it finds different elements after" : nil
            default: return "it finds a different value after"
            }
        default:
            return "its elements are changed by"
        }
    }

    // MARK: The order of elements

    /// Returns the later step that adds other elements behind an element that this step removes and that is added again.
    ///
    /// The second time, the other elements stay and the removed one comes back behind them.
    private func firstToReorder(_ later: ArraySlice<IdempotencyCheck>) -> IdempotencyCheck? {
        guard let array = arrayOfRemoved else { return nil }
        var isAddedAgain = false
        for step in later {
            for element in step.elements(addedTo: array) {
                if removes(element) { isAddedAgain = true } else if isAddedAgain { return step }
            }
        }
        return nil
    }

    /// The array from which this step removes elements by their values; nil for other steps.
    private var arrayOfRemoved: PlistPointer? {
        switch operation.action {
        case .subtract: path
        case .remove where path.last?.selector != nil: path.parent
        default: nil
        }
    }

    private func removes(_ element: PlistValue) -> Bool {
        switch operation.action {
        case .subtract(let elements): return elements.contains(element)
        case .remove:
            guard let selector = path.last?.selector else { return false }
            return (selector.key.map { element.dictionary?[$0] } ?? element)?.selectorText == selector.text
        default: return false
        }
    }

    /// Returns the elements that this step may append to an array, in order.
    private func elements(addedTo array: PlistPointer) -> [PlistValue] {
        switch operation.action {
        case .union(let elements) where path == array: return elements
        case .merge(let part) where array.isAtOrBelow(path):
            return part.value(along: array.steps.dropFirst(path.steps.count))?.array ?? []
        case .insert(let element) where path.parent == array: return [element]
        default: return []
        }
    }

    // MARK: The effects of a step

    /// True if the operation keeps all elements of an array.
    private var addsElements: Bool {
        switch operation.action {
        case .insert, .union: true
        default: false
        }
    }

    /// Returns true if the operation may change anything at, inside or around a place.
    private func touches(_ place: PlistPointer) -> Bool {
        if case .test = operation.action { return false }
        let touches = path.mayTouch(place)
        if case .merge(let part) = operation.action, touches, place.steps.count >= path.steps.count {
            let rest = place.steps.dropFirst(path.steps.count)
            return part.value(along: rest) != nil || part.hasArray(along: rest)
        }
        return touches || operation.action.source.map { $0.mayTouch(place) } == true
    }

    /// Returns true if the operation may leave a value other than `value` at `place`.
    private func changes(_ place: PlistPointer, from value: PlistValue) -> Bool {
        switch operation.action {
        case .add(let new), .insert(let new), .replace(let new): touches(place) && !(path == place && new == value)
        default: touches(place)
        }
    }

    /// Returns true if the operation may change which elements another step's selectors match, or how many.
    private func disturbsSelector(of other: IdempotencyCheck) -> Bool {
        let paths = [other.path] + (other.operation.action.source.map { [$0] } ?? [])
        return paths.contains { pointer in
            pointer.steps.indices.contains { number in
                guard let selector = pointer.steps[number].selector else { return false }
                return disturbs(selector, pointer.steps[number], in: Array(pointer.steps[..<number]))
            }
        }
    }

    private func disturbs(
        _ selector: (key: PlistString?, text: PlistString), _ step: PlistString, in array: [PlistString]
    ) -> Bool {
        if case .test = operation.action { return false }
        guard path.steps.count >= array.count, zip(path.steps, array).allSatisfy({ $0.mayBe($1) }) else { return false }
        let rest = path.steps.dropFirst(array.count)
        guard let element = rest.first else {
            if case .union = operation.action { return true }
            return false
        }
        let inner = rest.dropFirst()
        let isOwn = element == step
        let new: PlistValue
        switch operation.action {
        case .add(let value), .insert(let value), .replace(let value), .merge(let value): new = value
        case .test: return false
        default: return inner.isEmpty || selector.key == nil || inner.first == selector.key
        }
        if inner.isEmpty {
            guard let key = selector.key else { return !(isOwn && new.selectorText == selector.text) }
            let text = new.dictionary?[key]?.selectorText
            if case .merge = operation.action, new.dictionary?[key] == nil { return false }
            return !(isOwn && text == selector.text)
        }
        guard inner.first == selector.key else { return false }
        return !(isOwn && inner.count == 1 && new.selectorText == selector.text)
    }
}
