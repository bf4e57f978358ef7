extension PlistDocument {
    /// Where the value stands that a pointer leads to, or as far as it leads; nil in a binary document.
    public func location(of pointer: PlistPointer) -> PlistLocation? {
        guard format != .binary else { return nil }
        return try? withText { text, _, _ throws(PlistError) in try location(of: pointer, in: text) }
    }

    private func location(of pointer: PlistPointer, in text: UnsafeRawBufferPointer) throws(PlistError) -> PlistLocation {
        let layout: TextLayout =
            switch format {
            case .json: try JSONPlistLayout.scan(text)
            case .openStep: try OpenStepPlistLayout.scan(text)
            case .xml, .binary: try XMLPlistLayout.scan(text).layout
            }
        var number = 0
        var value = self.value
        for step in pointer.steps {
            guard let place = Self.place(of: step, in: value) else { break }
            let children = layout.children(of: number)
            // A key that comes twice, in a document read leniently, has two nodes and one value.
            guard children.count == place.count else { break }
            number = children[place.index]
            value = place.value
        }
        let node = layout.nodes[number]
        return .inText(text, at: node.key?.lowerBound ?? node.range.lowerBound)
    }

    private static func place(
        of step: PlistString, in value: PlistValue
    ) -> (index: Int, count: Int, value: PlistValue)? {
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
