import CapsulePropertyList

extension DeepMerge {
    mutating func scalar(_ overlay: PlistValue, over base: PlistValue?) throws(OverlayError) -> PlistValue {
        var value = try expanded(overlay)
        guard let base else { return value }
        guard !base.isContainer else { throw clash(overlay, base) }
        if stringsTakeBaseType, let text = value.string { value = try typed(text, as: base) }
        if let change = base.typeChange(to: value) { note(change) }
        return value
    }

    /// The overlay's value with its names expanded.
    func expanded(_ value: PlistValue) throws(OverlayError) -> PlistValue {
        guard !value.isNull else {
            throw OverlayError(
                .invalid, "property lists have no null", at: place.pointer,
                hint: "with '--deep', null removes a key; in a document, list the pointer under 'Remove'")
        }
        guard let expansion, let text = value.string else { return value }
        return .string(PlistString(try expansion.expand(text.string, at: place.pointer)))
    }

    private func typed(_ text: PlistString, as base: PlistValue) throws(OverlayError) -> PlistValue {
        guard let value = UntypedScalar.value(of: text, as: base) else {
            throw OverlayError(
                .clash, "\(text.quoted) can't be read as \(base.typeNameWithArticle), the type in the base",
                at: place.pointer, hint: "write the overlay as XML to change the type")
        }
        return value
    }
}
