public import CapsulePropertyList

extension Overlay {
    /// The operations that turn one property list into another, the order of keys aside.
    ///
    /// They hold the old values, so that they test what they change and can be inverted. Elements are added, removed and moved
    /// by index, for one after the other; what changes within a keyed element is reached by its key.
    ///
    /// - Throws: `ambiguous` for an array that rules of two identities fit.
    public init(
        turning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        var writer = OperationWriter(identities: identities)
        try writer.write(old, new)
        // What `insert` does in an array depends on them.
        self.init(form: .document, arrays: identities.rules, targets: [Target(operations: writer.operations)])
    }

    /// The smallest partial property list that, merged deep over one property list, makes another of it.
    ///
    /// - Throws: `unsupported`, with the first places, where only operations can say what changes. ``PlainOverlay`` has all.
    public init(
        plainTurning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        let plain = try PlainOverlay(turning: old, into: new, identities: identities)
        guard let value = plain.value else {
            let places = plain.obstacles.prefix(3).map { "\($0.message)\($0.target.map { " at \($0)" } ?? "")" }
            let more = plain.obstacles.count > 3 ? ", and \(plain.obstacles.count - 3) more" : ""
            throw OverlayError(
                .unsupported, "a partial property list can't express every change: \(places.joined(separator: ", "))\(more)",
                hint: "omit '--plain' to write an overlay with operations")
        }
        self.init(form: .plain, targets: [Target(merge: value)])
    }
}
