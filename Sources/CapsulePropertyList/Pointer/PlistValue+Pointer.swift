extension PlistValue {
    /// The value at a place.
    ///
    /// - Parameters:
    ///   - pointer: the place, from the root on.
    ///   - nested: how to look into data.
    /// - Throws: `missing`, `ambiguous` or `mismatch`, with the pointer up to the step that failed.
    public func value(at pointer: PlistPointer, nested: NestedCoding = .standard) throws(PlistError) -> PlistValue {
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

    /// Changes what is at a place; the places around it keep all else.
    ///
    /// - Throws: as ``value(at:nested:)`` does; the value is then as it was.
    public mutating func edit(
        _ edit: PlistEdit, at pointer: PlistPointer, nested: NestedCoding = .standard
    ) throws(PlistError) {
        let before = self
        do throws(PlistError) {
            try apply(edit, at: pointer.steps, from: 0, nested)
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
            guard place < elements.count else {
                throw PlistError(.missing, "the array has no element at '\(step)': it has \(elements.count)")
            }
            return elements[place]
        case .data(let bytes):
            return try nested.document(step, in: bytes).value
        default:
            throw Self.leaf(self)
        }
    }

    /// Takes the payload out while it is changed, so that its storage is not copied for being shared.
    private mutating func apply(
        _ edit: PlistEdit, at steps: [PlistString], from number: Int, _ nested: NestedCoding
    ) throws(PlistError) {
        do throws(PlistError) {
            guard number < steps.count else { return try edit.change(&self) }
            switch self {
            case .dictionary(var dictionary):
                let archive = try Self.inDocument(at: steps[...number]) { () throws(PlistError) in
                    try nested.archive(steps[number], in: dictionary)
                }
                if let archive {
                    _ = try Self.bytes(of: archive, after: edit, at: steps, from: number, nested)
                    return
                }
                self = .boolean(false)
                try Self.apply(edit, at: steps, from: number, nested, to: &dictionary)
                self = .dictionary(dictionary)
            case .array(var elements):
                self = .boolean(false)
                try Self.apply(edit, at: steps, from: number, nested, to: &elements)
                self = .array(elements)
            case .data(let bytes):
                let document = try Self.inDocument(at: steps[...number]) { () throws(PlistError) in
                    try nested.document(steps[number], in: bytes)
                }
                self = .data(try Self.bytes(of: document, after: edit, at: steps, from: number, nested))
            default:
                throw Self.leaf(self)
            }
        } catch {
            throw error.pointing(at: steps[...min(number, steps.count - 1)])
        }
    }

    /// What a document within data becomes.
    private static func bytes(
        of document: NestedDocument, after edit: PlistEdit, at steps: [PlistString], from number: Int, _ nested: NestedCoding
    ) throws(PlistError) -> [UInt8] {
        var value = document.value
        try value.apply(edit, at: steps, from: number + 1, nested)
        return try inDocument(at: steps[...number]) { () throws(PlistError) in try document.bytes(holding: value) }
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

    private static func apply(
        _ edit: PlistEdit, at steps: [PlistString], from number: Int, _ nested: NestedCoding,
        to dictionary: inout PlistDictionary
    ) throws(PlistError) {
        let step = steps[number]
        guard number + 1 == steps.count else {
            guard var value = dictionary[step] else { throw missing(step, in: dictionary) }
            dictionary[step] = .boolean(false)
            try value.apply(edit, at: steps, from: number + 1, nested)
            dictionary[step] = value
            return
        }
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

    private static func apply(
        _ edit: PlistEdit, at steps: [PlistString], from number: Int, _ nested: NestedCoding,
        to elements: inout [PlistValue]
    ) throws(PlistError) {
        let place = try self.step(steps[number]).place(in: elements)
        let isLast = number + 1 == steps.count
        if isLast {
            switch edit {
            case .add(let value): return elements.insert(value, at: place)
            case .set(let value) where place == elements.count: return elements.append(value)
            default: break
            }
        }
        guard place < elements.count else {
            throw PlistError(.missing, "the array has no element at '\(steps[number])': it has \(elements.count)")
        }
        if isLast, case .remove = edit {
            elements.remove(at: place)
        } else if isLast {
            try edit.change(&elements[place])
        } else {
            try elements[place].apply(edit, at: steps, from: number + 1, nested)
        }
    }

    private static func step(_ step: PlistString) throws(PlistError) -> PlistArrayStep {
        guard let known = PlistArrayStep(step) else {
            throw PlistError(
                .mismatch, "\(step.quoted) is no place in an array",
                hint: "name an element by its index, by '[KEY=VALUE]' or '[=VALUE]'; '-' is the array's end")
        }
        return known
    }

    private static func missing(_ key: PlistString, in dictionary: PlistDictionary) -> PlistError {
        let near = dictionary.keys.first { $0.string.lowercased() == key.string.lowercased() }
        return PlistError(
            .missing, "there is no key \(key.quoted)", hint: near.map { "there is \($0.quoted)" })
    }

    private static func leaf(_ value: PlistValue) -> PlistError {
        PlistError(.mismatch, "\(value.typeNameWithArticle) holds no other values")
    }
}

extension PlistError {
    /// The same error with a pointer of these steps, unless it has one already.
    fileprivate func pointing(at steps: ArraySlice<PlistString>) -> PlistError {
        pointing(to: steps.map { .key($0) })
    }

    /// The error of a document in data, which is at these steps: its pointer goes on from there, and its place is in the data.
    fileprivate func inDocument(at steps: ArraySlice<PlistString>) -> PlistError {
        var message = message
        if let location { message += " (in the data: \(location)\(related.map { ", first at \($0)" } ?? ""))" }
        let pointer = PlistPointerStep.pointer(steps.map { .key($0) }) + (pointer ?? "")
        return PlistError(code, message, pointer: pointer, hint: hint)
    }
}
