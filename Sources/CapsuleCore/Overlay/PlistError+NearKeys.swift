package import CapsulePropertyList

extension PlistError {
    /// Keys of a dictionary that are looked at: in a larger one a slip is rare, and nobody waits for a hint.
    private static let mostKeys = 4_096

    /// The same error; with a hint at the keys that may have been meant, if a key is missing that was misspelt.
    ///
    /// - Parameters:
    ///   - value: what the error's pointer is a place of.
    ///   - nested: how the pointer was followed into data.
    package func suggestingKeys(of value: PlistValue, nested: NestedCoding) -> PlistError {
        guard code == .missing, hint == nil, let pointer, let place = try? PlistPointer(pointer), let key = place.last,
            let parent = place.parent, let dictionary = (try? value.value(at: parent, nested: nested))?.dictionary
        else { return self }
        var error = self
        error.hint = Suggestions(for: key.string, among: dictionary.keys.prefix(Self.mostKeys).map(\.string)).hint
        return error
    }
}
