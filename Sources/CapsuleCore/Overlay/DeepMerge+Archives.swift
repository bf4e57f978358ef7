import CapsulePropertyList

extension DeepMerge {
    /// What comes of two dictionaries of which one is a keyed archive: its objects refer to each other by number, so that no part
    /// of it can be changed by itself.
    ///
    /// - Returns: nil if neither is one, or the base is empty.
    /// - Throws: `clash` unless the overlay has the base's archive, or changes nothing.
    func archive(_ overlay: PlistValue, over base: PlistValue) throws(OverlayError) -> PlistValue? {
        let (isArchive, isBaseArchive) = (KeyedArchive.isArchive(overlay), KeyedArchive.isArchive(base))
        guard isArchive || isBaseArchive, base.dictionary?.isEmpty == false else { return nil }
        if overlay.dictionary?.isEmpty == true { return base }
        if isArchive, isBaseArchive, try expansion?.expanded(overlay, at: place.pointer) ?? overlay == base { return base }
        let name = isArchive ? "a keyed archive" : "a dictionary"
        let baseName = isBaseArchive ? isArchive ? "a different one" : "a keyed archive" : "a dictionary"
        throw OverlayError(
            .clash, "the overlay has \(name), but the base has \(baseName): a keyed archive can only be replaced",
            at: place.pointer,
            hint: "use 'replace' in an overlay document")
    }
}
