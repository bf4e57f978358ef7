extension PlistValue {
    package func value(at pointer: PlistPointer, nested: NestedCoding = .standard) throws(PlistError) -> PlistValue {
        var value = self
        for (number, step) in pointer.steps.enumerated() {
            do throws(PlistError) {
                value = try value.child(at: step, nested)
            } catch {
                throw error.inDocument(at: pointer.steps[...number])
            }
        }
        return value
    }

    /// Changes the value at a place. Everything around it is preserved.
    /// - Throws: the errors of ``value(at:nested:)``, and those of writing documents in data. The value is unchanged in that case.
    package mutating func edit(_ edit: PlistEdit, at pointer: PlistPointer, nested: NestedCoding = .standard) throws(PlistError) {
        let before = self
        do throws(PlistError) {
            try apply(edit, at: pointer.steps, nested)
        } catch {
            self = before
            throw error
        }
    }

    private func child(at step: PlistString, _ nested: NestedCoding) throws(PlistError) -> PlistValue {
        switch self {
        case .dictionary(let dictionary):
            if let value = dictionary[step] { return value }
            guard let archive = try nested.archive(step, in: dictionary) else { throw Self.missing(step, in: dictionary) }
            return archive.value
        case .array(let elements):
            let place = try Self.step(step).place(in: elements)
            guard place < elements.count else { throw Self.missing(step, in: elements) }
            return elements[place]
        case .data(let bytes):
            return try nested.document(step, in: bytes).value
        default:
            throw Self.leaf(self)
        }
    }

    /// A container that was opened to change a value in it.
    private enum OpenContainer {
        /// A dictionary without the child at the current step.
        case dictionary(PlistDictionary)
        case array([PlistValue], place: Int)
        case data(NestedDocument)
        /// A keyed archive, which can't be written, and its unchanged dictionary.
        case archive(NestedDocument, PlistDictionary)
    }

    /// Applies an edit. Takes each payload out of its container while it is changed, so that shared storage isn't copied. The path
    /// is on an explicit stack, so that depth uses no call stack.
    private mutating func apply(_ edit: PlistEdit, at steps: [PlistString], _ nested: NestedCoding) throws(PlistError) {
        var around: [OpenContainer] = []
        var number = 0
        do throws(PlistError) {
            while let opened = try open(at: steps, number, nested) {
                around.append(opened)
                number += 1
            }
            try applyHere(edit, at: steps, from: number)
            while let opened = around.popLast() {
                number -= 1
                try close(opened, at: steps[...number])
            }
        } catch {
            throw error.pointing(at: steps[...min(number, steps.count - 1)])
        }
    }

    /// Replaces `self` with the child at a step. Returns nil at the container of the last step, where the edit is applied.
    private mutating func open(
        at steps: [PlistString], _ number: Int, _ nested: NestedCoding
    ) throws(PlistError) -> OpenContainer? {
        guard number < steps.count else { return nil }
        let isLast = number + 1 == steps.count
        switch self {
        case .dictionary(var dictionary):
            let archive = try Self.inDocument(at: steps[...number]) { () throws(PlistError) in
                try nested.archive(steps[number], in: dictionary)
            }
            if let archive {
                self = archive.value
                return .archive(archive, dictionary)
            }
            if isLast { return nil }
            guard let value = dictionary[steps[number]] else { throw Self.missing(steps[number], in: dictionary) }
            self = value
            dictionary[steps[number]] = .boolean(false)
            return .dictionary(dictionary)
        case .array(var elements):
            if isLast { return nil }
            let place = try Self.step(steps[number]).place(in: elements)
            guard place < elements.count else { throw Self.missing(steps[number], in: elements) }
            self = elements[place]
            elements[place] = .boolean(false)
            return .array(elements, place: place)
        case .data(let bytes):
            let document = try Self.inDocument(at: steps[...number]) { () throws(PlistError) in
                try nested.document(steps[number], in: bytes)
            }
            self = document.value
            return .data(document)
        default:
            throw Self.leaf(self)
        }
    }

    private mutating func close(_ opened: consuming OpenContainer, at steps: ArraySlice<PlistString>) throws(PlistError) {
        let value = self
        switch opened {
        case .dictionary(var dictionary):
            if let step = steps.last { dictionary[step] = value }
            self = .dictionary(dictionary)
        case .array(var elements, let place):
            elements[place] = value
            self = .array(elements)
        case .data(let document):
            self = .data(try Self.inDocument(at: steps) { () throws(PlistError) in try document.bytes(holding: value) })
        case .archive(let document, let dictionary):
            _ = try Self.inDocument(at: steps) { () throws(PlistError) in try document.bytes(holding: value) }
            self = .dictionary(dictionary)
        }
    }

    private mutating func applyHere(_ edit: PlistEdit, at steps: [PlistString], from number: Int) throws(PlistError) {
        guard number < steps.count else { return try edit.change(&self) }
        switch self {
        case .dictionary(var dictionary):
            self = .boolean(false)
            try Self.apply(edit, at: steps[number], to: &dictionary)
            self = .dictionary(dictionary)
        case .array(var elements):
            self = .boolean(false)
            try Self.apply(edit, at: steps[number], to: &elements)
            self = .array(elements)
        default:
            throw Self.leaf(self)
        }
    }

    private static func inDocument<Result>(
        at steps: ArraySlice<PlistString>, _ body: () throws(PlistError) -> Result
    ) throws(PlistError) -> Result {
        do throws(PlistError) {
            return try body()
        } catch {
            throw error.inDocument(at: steps)
        }
    }

    private static func apply(_ edit: PlistEdit, at step: PlistString, to dictionary: inout PlistDictionary) throws(PlistError) {
        switch edit {
        case .add(let value), .set(let value):
            dictionary[step] = value
        case .replace, .transform, .remove:
            guard var value = dictionary[step] else { throw missing(step, in: dictionary) }
            if case .remove = edit {
                dictionary[step] = nil
            } else {
                dictionary[step] = .boolean(false)
                try edit.change(&value)
                dictionary[step] = value
            }
        }
    }

    private static func apply(_ edit: PlistEdit, at step: PlistString, to elements: inout [PlistValue]) throws(PlistError) {
        let place = try self.step(step).place(in: elements)
        switch edit {
        case .add(let value): return elements.insert(value, at: place)
        case .set(let value) where place == elements.count: return elements.append(value)
        default: break
        }
        guard place < elements.count else { throw missing(step, in: elements) }
        if case .remove = edit {
            elements.remove(at: place)
        } else {
            try edit.change(&elements[place])
        }
    }

    private static func step(_ step: PlistString) throws(PlistError) -> PlistArrayStep {
        guard let known = PlistArrayStep(step) else {
            throw PlistError(
                .mismatch, "\(step.quoted) is not a place in an array",
                hint: "use an index, '[KEY=VALUE]', '[=VALUE]', or '-' for the end of the array")
        }
        return known
    }

    private static func missing(_ key: PlistString, in dictionary: PlistDictionary) -> PlistError {
        let near = dictionary.keys.first { $0.string.lowercased() == key.string.lowercased() }
        var hint = near.map { "did you mean '\($0)'?" }
        let parts = PlistPointer.dotted(key.string)
        if hint == nil, parts.count > 1, dictionary[PlistString(String(parts[0]))] != nil {
            hint = "separate keys with '/': '\(parts.joined(separator: "/"))'"
        }
        return PlistError(.missing, "no key \(key.quoted)", hint: hint)
    }

    private static func missing(_ step: PlistString, in elements: [PlistValue]) -> PlistError {
        PlistError(.missing, "the array has no element '\(step)': its count is \(elements.count)")
    }

    private static func leaf(_ value: PlistValue) -> PlistError {
        PlistError(.mismatch, "\(value.typeNameWithArticle) contains no other values")
    }
}

/// A change to a value at a place in a property list.
package enum PlistEdit {
    /// Sets a dictionary's key, or inserts into an array before the place (RFC 6902, section 4.1).
    case add(PlistValue)
    /// Sets a dictionary's key or an array's element, or appends at an array's end.
    case set(PlistValue)
    case replace(PlistValue)
    case remove
    case transform((inout PlistValue) throws(PlistError) -> Void)

    func change(_ value: inout PlistValue) throws(PlistError) {
        switch self {
        case .add(let new), .set(let new), .replace(let new): value = new
        case .transform(let body): try body(&value)
        case .remove: throw PlistError(.mismatch, "the whole value can't be removed")
        }
    }
}

extension PlistValue {
    /// Creates the dictionaries and arrays that are missing on the path to a place.
    /// A missing container becomes an array if the next step is `-` or `0`, and otherwise a dictionary. In an existing array, only
    /// the element at the end can be created.
    /// - Returns: the place, with `-` replaced by the index of each element that was created.
    package mutating func createParents(
        of pointer: PlistPointer, nested: NestedCoding = .standard
    ) throws(PlistError) -> PlistPointer {
        let before = self
        do throws(PlistError) {
            var steps = pointer.steps
            for length in steps.indices.dropFirst() {
                do throws(PlistError) {
                    _ = try value(at: PlistPointer(steps: Array(steps[..<length])), nested: nested)
                } catch {
                    guard error.code == .missing else { throw error }
                    if let end = try end(of: steps[..<length], nested) { steps[length - 1] = PlistString(String(end)) }
                    let place = PlistPointer(steps: Array(steps[..<length]))
                    try edit(.set(try Self.parent(of: steps[length], at: place)), at: place, nested: nested)
                }
            }
            return PlistPointer(steps: steps)
        } catch {
            self = before
            throw error
        }
    }

    /// Returns the index of the element that the last step would append to its array, or nil if the step is a key.
    private func end(of steps: ArraySlice<PlistString>, _ nested: NestedCoding) throws(PlistError) -> Int? {
        guard let step = steps.last else { return nil }
        let parent = try value(at: PlistPointer(steps: Array(steps.dropLast())), nested: nested)
        guard let elements = parent.array else { return nil }
        do throws(PlistError) {
            return try PlistArrayStep(step)?.place(in: elements)
        } catch {
            throw error.pointing(to: steps.map { .key($0) })
        }
    }

    private static func parent(of step: PlistString, at place: PlistPointer) throws(PlistError) -> PlistValue {
        switch PlistArrayStep(step) {
        case .end, .index(0): return .array([])
        case .index: throw unknownParent("could be a key or an index", of: step, at: place)
        case .selector: throw unknownParent("selects an element, and there is none", of: step, at: place)
        case nil:
            guard !NestedCoding.steps.contains(step) else { throw unknownParent("leads into data", of: step, at: place) }
            return .dictionary(PlistDictionary())
        }
    }

    private static func unknownParent(_ reason: String, of step: PlistString, at place: PlistPointer) -> PlistError {
        PlistError(
            .missing, "'\(place)' does not exist, and can't be created: \(step.quoted) \(reason)", pointer: place.description,
            hint: "create the dictionary or array first")
    }

    package func typeChange(to new: PlistValue) -> String? {
        typeName == new.typeName ? nil : "\(typeNameWithArticle) becomes \(new.typeNameWithArticle)"
    }
}

extension PlistError {
    fileprivate func pointing(at steps: ArraySlice<PlistString>) -> PlistError {
        pointing(to: steps.map { .key($0) })
    }

    /// Returns the error of a document in data at these steps. Its pointer is extended, and its location becomes part of the
    /// message.
    fileprivate func inDocument(at steps: ArraySlice<PlistString>) -> PlistError {
        var message = message
        if let location { message += " (in the data: \(location)\(related.map { ", first at \($0)" } ?? ""))" }
        let pointer = PlistPointerStep.pointer(steps.map { .key($0) }) + (pointer ?? "")
        return PlistError(code, message, pointer: pointer, hint: hint)
    }

    package static func noArray(_ value: PlistValue, at pointer: PlistPointer) -> PlistError {
        PlistError(
            .mismatch, "\(value.typeNameWithArticle) is not an array, so nothing can be appended",
            pointer: pointer.description)
    }

    package static func exists(at pointer: PlistPointer) -> PlistError {
        PlistError(
            .exists, "the key \((pointer.last ?? "").quoted) already exists", pointer: pointer.description,
            hint: "'plist set' changes its value")
    }
}
