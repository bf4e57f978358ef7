extension PlistDocument {
    /// Returns the position of the value at a pointer, or of the last value on the path that exists. Returns nil for a binary
    /// document.
    package func location(of pointer: PlistPointer) -> PlistLocation? {
        guard format != .binary else { return nil }
        return try? withText { text, _, _ throws(PlistError) in try location(of: pointer, in: text) }
    }

    private func location(of pointer: PlistPointer, in text: UnsafeRawBufferPointer) throws(PlistError) -> PlistLocation {
        let limits = PlistLimits(depth: .max)
        return switch format {
        case .json: try location(of: pointer, in: JSONPlistSyntax(text, limits: limits))
        case .openStep: try location(of: pointer, in: OpenStepPlistSyntax(text, limits: limits))
        case .xml, .binary: try location(of: pointer, in: XMLPlistSyntax(text, limits: limits))
        }
    }

    private func location(of pointer: PlistPointer, in syntax: some TextPlistSyntax) throws(PlistError) -> PlistLocation {
        let layout = syntax.layout
        var number = 0
        var value = self.value
        for step in pointer.steps {
            guard let place = Self.place(of: step, in: value) else { break }
            let children = layout.children(of: number)
            if children.count == place.count {
                number = children[place.index]
            } else {
                // A key that occurs twice has two nodes but one value, which belongs to the last node.
                guard let last = try Self.last(of: step, among: children, in: syntax) else { break }
                number = last
            }
            value = place.value
        }
        let node = layout.nodes[number]
        return .inText(syntax.text, at: node.key?.lowerBound ?? node.range.lowerBound)
    }

    private static func last(
        of key: PlistString, among children: [Int], in syntax: some TextPlistSyntax
    ) throws(PlistError) -> Int? {
        for child in children.reversed() {
            if let range = syntax.layout.nodes[child].key, try syntax.key(at: range) == key { return child }
        }
        return nil
    }

    private static func place(of step: PlistString, in value: PlistValue) -> (index: Int, count: Int, value: PlistValue)? {
        switch value {
        case .dictionary(let dictionary):
            guard let index = dictionary.position(of: step) else { return nil }
            return (index, dictionary.count, dictionary.entries[index].value)
        case .array(let elements):
            guard let index = try? PlistArrayStep(step)?.place(in: elements), index < elements.count else { return nil }
            return (index, elements.count, elements[index])
        default:
            return nil
        }
    }
}
