import CapsuleCore
import CapsulePropertyList

/// Applies a target to one property list: removals, then the merge, then the operations.
struct TargetApplier {
    var value: PlistValue
    let identities: ArrayIdentities
    let expansion: Expansion?
    let overlay: Overlay
    let context: OverlayContext
    private(set) var notes: [OverlayNote] = []
    private(set) var skipped: [String] = []
    /// The number of pointer steps at which values were edited since the depth was last measured.
    private var steps = 0
    /// The number of values that were copied. An overlay has one limit for all its targets.
    private(set) var copied: Int
    private var lookup: ElementLookup?
    private static let depthLimit = PlistLimits.standard.depth

    init(
        value: PlistValue, copied: Int, identities: ArrayIdentities, expansion: Expansion?, overlay: Overlay,
        context: OverlayContext
    ) {
        self.value = value
        self.copied = copied
        self.identities = identities
        self.expansion = expansion
        self.overlay = overlay
        self.context = context
    }

    mutating func perform(_ target: Overlay.Target) throws(OverlayError) {
        for (number, pointer) in target.remove.enumerated() {
            do throws(PlistError) {
                try value.edit(.remove, at: pointer, nested: context.nested)
            } catch {
                // A value that does not exist need not be removed.
                guard error.code != .missing else { continue }
                throw OverlayError(error, at: pointer, in: PlistPointer(steps: ["Remove", PlistString(String(number))]))
            }
        }
        if let merge = target.merge { value = try merged(merge, into: value, at: []) }
        var failed: [OverlayError] = []
        for (number, operation) in target.operations.enumerated() {
            if let unmetCondition = context.unmetCondition(operation.conditions) {
                skipped.append(unmetCondition)
                continue
            }
            do throws(OverlayError) {
                try perform(operation)
            } catch {
                let place = overlay.form == .patch ? [] : ["Operations"] as [PlistString]
                let located = error.located(in: PlistPointer(steps: place + [PlistString(String(number))]))
                // A failed test changes nothing, so the operations after it can be tried. Their other errors may be its
                // consequences.
                guard error.code == .failedTest else {
                    if failed.isEmpty { throw located }
                    break
                }
                if failed.count <= Self.keptFailures { failed.append(located) }
            }
        }
        guard var first = failed.first else { return }
        first.others = Array(failed.dropFirst())
        throw first
    }

    private static let keptFailures = 100

    private mutating func perform(_ operation: PlistOperation) throws(OverlayError) {
        let path = operation.path
        if operation.action.mayChangeElements { lookup = nil }
        switch operation.action {
        case .add(let new):
            try edit(.add(try expanded(new, path)), at: path)
        case .insert(let new):
            try insert(try expanded(new, path), at: path)
        case .remove:
            try edit(.remove, at: path)
        case .replace(let new):
            try edit(.replace(try expanded(new, path)), at: path)
        case .move(let from):
            try move(from, to: path)
        case .copy(let from):
            try copy(from, to: path)
        case .test(let wanted):
            try test(try expanded(wanted, path), at: path)
        case .merge(let part):
            let base = try existing(path)
            try set(try merged(part, into: base, at: path.steps), at: path)
        case .union(let elements):
            let base = try elementsOrNone(path, "union")
            var merge = DeepMerge(identities: identities)
            merge.expansion = expansion
            try set(.array(try merge.union(elements, with: base ?? [], path.steps)), at: path)
        case .subtract(let elements):
            guard let base = try elementsOrNone(path, "subtract") else { return }
            let rest = try difference(base, elements, path)
            if rest.count < base.count { try set(.array(rest), at: path) }
        }
    }

    /// Adds a value unless an equal one is there already. In an array, the elements from the place on move back.
    ///
    /// A keyed array has the value already if an element has the same key, a set if it has an equal element. A place in an array is
    /// never used as a key of a dictionary.
    private mutating func insert(_ new: PlistValue, at path: PlistPointer) throws(OverlayError) {
        if let place = path.parent, let elements = try existing(place)?.array {
            if lookup?.place != place {
                lookup = ElementLookup(elements, at: place, try identities.identity(at: try indexed(place).steps))
            }
            switch lookup?.find(new) {
            case .none, .nothing:
                try edit(.add(new), at: path)
                lookup?.add(new)
            case .equal: break
            case .other(let found, let name):
                throw OverlayError(
                    .failedTest, "insert failed: the element with \(name) is already \(found), not \(new)",
                    at: path,
                    hint: "the overlay was made for a different base: write 'merge' or 'add', or remove the 'insert'")
            }
            return
        }
        lookup = nil
        if let place = path.parent, path.last?.mayBeInArray == true, try existing(place)?.dictionary != nil {
            throw OverlayError(
                .failedTest, "insert failed: expected an array for \(new), found a dictionary", at: path,
                hint: "the overlay was made for a different base: write 'add' to set a key of the dictionary")
        }
        guard let found = try existing(path) else { return try edit(.add(new), at: path) }
        guard found != new else { return }
        throw OverlayError(
            .failedTest, "insert failed: the value is already \(found), not \(new)", at: path,
            hint: "the overlay was made for a different base: write 'add' to replace the value, or remove the 'insert'")
    }

    /// Returns the elements of an array that are not among some others, which are compared as they are spelled and as they expand.
    private func difference(
        _ base: [PlistValue], _ elements: [PlistValue], _ path: PlistPointer
    ) throws(OverlayError) -> [PlistValue] {
        var gone = Set(elements)
        if expansion != nil {
            for element in elements { gone.insert(try expanded(element, path)) }
        }
        return base.filter { !gone.contains($0) }
    }

    /// - Throws: `invalid` for a move into itself, which RFC 6902 forbids (section 4.4).
    private mutating func move(_ from: PlistPointer, to path: PlistPointer) throws(OverlayError) {
        if from == path {
            _ = try found(from)
            return
        }
        guard !path.isAtOrBelow(from) else {
            throw OverlayError(.invalid, "'\(from)' can't be moved into itself", at: path)
        }
        let moved = try found(from)
        // A document in data can have many more values than bytes.
        if from.steps.contains(where: DiffPath.documentSteps.contains) { try countCopy(of: moved, to: path) }
        try edit(.remove, at: from)
        try edit(.add(moved), at: path)
    }

    private mutating func copy(_ from: PlistPointer, to path: PlistPointer) throws(OverlayError) {
        let new = try found(from)
        try countCopy(of: new, to: path)
        try edit(.add(new), at: path)
    }

    /// - Throws: `limit` for copies of copies that grow beyond all bounds: more than ``PlistLimits/expandedValues``.
    private mutating func countCopy(of value: PlistValue, to path: PlistPointer) throws(OverlayError) {
        // The operation itself is as large as a scalar, so only what is inside of a container counts.
        copied += value.weight - 1
        guard copied <= PlistLimits.standard.expandedValues else {
            throw OverlayError(.limit, "the copies have too many values", at: path, hint: "copy a part of the value")
        }
    }

    private func test(_ wanted: PlistValue, at path: PlistPointer) throws(OverlayError) {
        let found = try found(path)
        let holds = overlay.form == .patch ? found.isEqualByNumber(to: wanted) : found == wanted
        guard !holds else { return }
        let types = found.typeName == wanted.typeName ? "" : " (\(wanted.typeNameWithArticle), not \(found.typeNameWithArticle))"
        throw OverlayError(
            .failedTest, "the value is \(found), but the overlay expects \(wanted)\(types)", at: path,
            hint: "the property list has changed since the overlay was made; its 'test' operations say what it expects")
    }

    private mutating func merged(
        _ part: PlistValue, into base: PlistValue?, at place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        var merge = DeepMerge(identities: identities)
        merge.expansion = expansion
        merge.nullRemoves = overlay.nullRemoves
        merge.stringsTakeBaseType = overlay.stringsTakeBaseType
        let result = try merge.merge(part, into: base, at: place)
        notes += merge.notes
        return result
    }

    private func expanded(_ value: PlistValue, _ place: PlistPointer) throws(OverlayError) -> PlistValue {
        guard let expansion else { return value }
        return try expansion.expanded(value, at: place)
    }

    private func found(_ pointer: PlistPointer) throws(OverlayError) -> PlistValue {
        do throws(PlistError) {
            return try value.value(at: pointer, nested: context.nested)
        } catch {
            throw OverlayError(error.suggestingKeys(of: value, nested: context.nested), at: pointer)
        }
    }

    private func existing(_ pointer: PlistPointer) throws(OverlayError) -> PlistValue? {
        do throws(PlistError) {
            return try value.value(at: pointer, nested: context.nested)
        } catch {
            if error.code == .missing { return nil }
            throw OverlayError(error, at: pointer)
        }
    }

    /// Returns the place with an index for each selector, because identity rules are matched with indices.
    private func indexed(_ place: PlistPointer) throws(OverlayError) -> PlistPointer {
        var steps = place.steps
        for number in steps.indices {
            guard let (key, text) = steps[number].selector,
                let elements = try existing(PlistPointer(steps: Array(place.steps[..<number])))?.array,
                let index = elements.firstIndex(where: { element in
                    (key == nil ? element : key.flatMap { element.dictionary?[$0] })?.selectorText == text
                })
            else { continue }
            steps[number] = PlistString(String(index))
        }
        return PlistPointer(steps: steps)
    }

    private func elementsOrNone(_ path: PlistPointer, _ name: String) throws(OverlayError) -> [PlistValue]? {
        guard let base = try existing(path) else { return nil }
        guard let elements = base.array else {
            throw OverlayError(.clash, "'\(name)' needs an array, found \(base.typeNameWithArticle)", at: path)
        }
        return elements
    }

    private mutating func edit(_ edit: PlistEdit, at pointer: PlistPointer) throws(OverlayError) {
        do throws(PlistError) {
            try value.edit(edit, at: pointer, nested: context.nested)
        } catch {
            throw OverlayError(error.suggestingKeys(of: value, nested: context.nested), at: pointer)
        }
        try checkDepth(after: pointer)
    }

    /// Throws if values nest too deeply. A copy into itself nests what it copies, so many copies could make values too deep for any
    /// stack.
    private mutating func checkDepth(after pointer: PlistPointer) throws(OverlayError) {
        steps += pointer.steps.count
        guard steps > Self.depthLimit else { return }
        // Only this many steps can have made the value so much deeper since it was measured.
        steps = 0
        guard value.depth <= Self.depthLimit else {
            throw OverlayError(.limit, "values nest deeper than \(Self.depthLimit) levels", at: pointer)
        }
    }

    /// Sets a value, and creates dictionaries for the steps that do not exist.
    private mutating func set(_ new: PlistValue, at path: PlistPointer) throws(OverlayError) {
        for length in path.steps.indices {
            let prefix = PlistPointer(steps: Array(path.steps[..<length]))
            if length > 0, try existing(prefix) == nil { try edit(.set(.dictionary(PlistDictionary())), at: prefix) }
        }
        try edit(.set(new), at: path)
    }
}

extension PlistOperation.Action {
    /// True if, after the operation, an array may have other elements than those that ``ElementLookup`` counts for `insert`.
    fileprivate var mayChangeElements: Bool {
        switch self {
        case .test, .insert: false
        default: true
        }
    }
}

extension PlistValue {
    /// Returns true if both are equal by the rules of JSON Patch's `test`: numbers are compared by value, whatever their types (RFC
    /// 6902, section 4.6).
    func isEqualByNumber(to other: PlistValue) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for position in left.indices where !left[position].isEqualByNumber(to: right[position]) { return false }
            return true
        case (.dictionary(let left), .dictionary(let right)):
            guard left.count == right.count else { return false }
            for position in left.indices {
                guard let partner = right[left[position].key], left[position].value.isEqualByNumber(to: partner) else {
                    return false
                }
            }
            return true
        default:
            return isScalarEqualByNumber(to: other)
        }
    }

    private func isScalarEqualByNumber(to other: PlistValue) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)): integer.isEqual(to: real)
        case (.real(let left), .real(let right)): left == right || left.bitPattern == right.bitPattern
        default: self == other
        }
    }
}

extension PlistInteger {
    fileprivate func isEqual(to real: Double) -> Bool {
        if let value = int64 { return Int64(exactly: real) == value }
        return UInt64(exactly: real) == uint64
    }
}
