public import CapsulePropertyList

/// The smallest partial property list that, merged deep over one property list, makes another of it, or why there is none.
///
/// Merging deep adds and changes: it takes nothing away, and leaves the elements of keyed arrays and sets in their order.
public struct PlainOverlay: Hashable, Sendable {
    /// Places that are told, after which the search for more ends.
    static let obstacleLimit = 100

    /// The partial property list; nil if there is none.
    public let value: PlistValue?
    /// What only operations can say, with the places in the old property list.
    public let obstacles: [OverlayNote]

    /// Looks for it.
    ///
    /// - Throws: `ambiguous` for an array that rules of two identities fit.
    public init(
        turning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        var writer = PlainOverlayWriter(identities: identities)
        let value = try writer.write(old, new)
        obstacles = writer.obstacles
        self.value = obstacles.isEmpty ? value : nil
    }
}
