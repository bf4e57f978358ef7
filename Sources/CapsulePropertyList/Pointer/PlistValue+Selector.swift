extension PlistValue {
    /// The step `[KEY=VALUE]`, or `[=VALUE]` without a key, that picks this value as an array's element.
    ///
    /// - Returns: nil where no such step fits it: a selector compares strings, integers and booleans, and its key has no `=`.
    package func selector(key: PlistString?) -> PlistString? {
        guard let key else {
            return selectorText.map { PlistString("[=\($0.string)]") }
        }
        guard !key.isEmpty, !key.utf8.contains(UInt8(ascii: "=")), let text = dictionary?[key]?.selectorText else { return nil }
        return PlistString("[\(key.string)=\(text.string)]")
    }
}
