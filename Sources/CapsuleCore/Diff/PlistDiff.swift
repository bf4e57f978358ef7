public import CapsulePropertyList

/// What differs between two property lists, by pointer (docs/diff.md, docs/overlay.md).
///
/// Arrays pair by their identity; data that holds property lists on both sides is compared inside, at `<plist>`. Keyed archives,
/// in data or as they are, are compared as graphs, at `<archive>`: how they number their objects makes no difference.
public struct PlistDiff: Hashable, Sendable {
    /// Changes after which a comparison ends unless it is told otherwise: two documents that share objects can differ in more
    /// places than can be told.
    public static let changeLimit = 100_000

    /// What a comparison did not look at any further.
    public enum Bound: String, Hashable, Sendable, CaseIterable {
        /// There are more changes.
        case changes
        /// Something deeper than a pointer leads is told as a whole.
        case depth
        /// Property lists in data, too deep within each other or too large together, are told as data; keyed archives whose
        /// graphs are too large, as property lists.
        case nestedDocuments
        /// Elements that are alike but in their depths were not recognised as equal.
        case elements
    }

    /// A place where a side has a keyed archive, and both were compared as property lists.
    package struct Unresolved: Hashable, Sendable {
        /// Where it is; a place in it would have `<archive>` next.
        package let pointer: PlistPointer
        /// Why.
        package let gap: NestedGap
    }

    /// Of these places so many are kept.
    static let unresolvedLimit = 1_000

    /// In the order of the old document, what was added to a dictionary behind the rest of it.
    public let changes: [PlistChange]
    /// What was cut short; empty for a comparison that looks at all.
    public let bounds: Set<Bound>
    /// Where keyed archives were compared as property lists.
    package let unresolved: [Unresolved]
    /// Whether the documents have different encodings: for the caller to say, a value has none.
    public var encodingsDiffer = false

    /// Compares two values.
    ///
    /// - Throws: `ambiguous` for an array that rules of two identities fit.
    public init(
        _ old: PlistValue, _ new: PlistValue, identities: ArrayIdentities = ArrayIdentities(), limit: Int = changeLimit
    ) throws(OverlayError) {
        try self.init(old, new, identities: identities, limit: limit) { _ in true }
    }

    /// Compares two values, of whose changes not all are kept.
    ///
    /// - Parameters:
    ///   - limit: the changes after which the comparison ends.
    ///   - keeps: is asked of each change in order whether to keep it.
    /// - Throws: `ambiguous` for an array that rules of two identities fit.
    package init(
        _ old: PlistValue, _ new: PlistValue, identities: ArrayIdentities, limit: Int,
        keeps: @escaping (PlistChange) -> Bool
    ) throws(OverlayError) {
        var comparison = PlistComparison(identities: identities, limit: limit, keeps: keeps)
        try comparison.run(old, new)
        changes = comparison.changes
        bounds = comparison.bounds
        unresolved = comparison.unresolved
    }

    /// Whether the values are equal, but for how keyed archives in them number their objects.
    public var isEmpty: Bool { changes.isEmpty && bounds.isEmpty }

    /// Whether the values are equal and only their encodings differ.
    public var isEncodingOnly: Bool { isEmpty && encodingsDiffer }
}
