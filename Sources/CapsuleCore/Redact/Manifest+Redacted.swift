package import CapsulePropertyList

extension Manifest {
    /// The key for what was redacted (docs/format.md, section 6).
    package static let redactedKey: PlistString = "Redacted"
    private static let valuesKey: PlistString = "Values"
    /// The number of the rules that find secrets, which grows with each release that finds more.
    private static let rules = 1

    /// Returns what the manifest of a version says whose secrets were replaced.
    package static func redacted(values: Int) -> PlistValue {
        .dictionary(PlistDictionary([(valuesKey, .integer(PlistInteger(values))), ("Rules", .integer(PlistInteger(rules)))]))
    }

    /// The number of different values that were replaced before the version was packed; nil if none was searched.
    package var redactedValues: Int64? { other[Self.redactedKey]?.dictionary?[Self.valuesKey]?.integer?.int64 }
}
