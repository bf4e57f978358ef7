public import CapsulePropertyList

/// What an overlay made of a property list.
public struct OverlayResult: Sendable {
    /// The value afterwards.
    public var value: PlistValue
    /// The encoding that a target asked for; nil for the base's.
    public var encoding: PlistFormat?
    /// What is worth a word.
    public var notes: [OverlayNote]
    /// What was passed over since a condition does not hold, a line each: `CONFIGURATION is Release`.
    public var skipped: [String]
    /// Whether no part of the overlay was for this property list.
    public var isUntouched: Bool
}
