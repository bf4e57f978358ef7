extension PlistValue {
    /// Creates the dictionaries and arrays that are missing on the way to a place.
    ///
    /// What is missing becomes an array if the step that follows is `-` or `0`, else a dictionary. In an array that exists only the
    /// element at the end can be created.
    ///
    /// - Returns: the place, in which `-` is the index of the element if that was created on the way.
    /// - Throws: `missing` for a step that can't be created; errors of ``value(at:nested:)`` but for those. The value is then as it was.
    public mutating func createParents(
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

    /// The index of the element that the last step would append to its array; nil where the step is a key.
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

    /// An empty container in which a step leads somewhere.
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

    /// Why a value of another type is worth a word when it takes the place of this one; nil if it has the same type.
    package func typeChange(to new: PlistValue) -> String? {
        typeName == new.typeName ? nil : "\(typeNameWithArticle) becomes \(new.typeNameWithArticle)"
    }
}
