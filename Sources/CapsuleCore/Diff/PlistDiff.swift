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

/// One difference between two property lists.
public struct PlistChange: Hashable, Sendable {
    /// What differs.
    public enum Kind: Hashable, Sendable {
        /// A value that only the new property list has.
        case added(PlistValue)
        /// A value that only the old one has.
        case deleted(PlistValue)
        /// Another value, maybe of another type.
        case modified(old: PlistValue, new: PlistValue)
        /// Elements that both arrays have, in another order: what they pair by, as far as they have that, else themselves.
        case order(old: [PlistValue], new: [PlistValue])
        /// Data that holds one value in two encodings, or spelled in two ways in one.
        case encoding(old: PlistFormat, new: PlistFormat)
    }

    /// Where, in the new property list for what was added, else in the old one; an element that can't be picked by what it
    /// holds has its index there.
    public let pointer: PlistPointer
    /// What differs there.
    public let kind: Kind
    /// In the graph of a keyed archive, behind `<archive>`, the class of the object that the place is in.
    public let className: PlistString?
    /// The sides of whose values a part is hidden: a word stands there in place of each secret, and what the value is is not known.
    public let secrets: Sides
    /// Where both values are data: why a property list that one of them holds was not compared as one; nil where none was passed
    /// over, and where a bound of the comparison says so.
    public let nestedGap: NestedGap?

    /// Sides of a difference.
    public struct Sides: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        /// Takes a set of bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The old one.
        public static let old = Sides(rawValue: 1 << 0)
        /// The new one.
        public static let new = Sides(rawValue: 1 << 1)
    }

    /// A difference at a place.
    public init(
        _ kind: Kind, at pointer: PlistPointer, in className: PlistString? = nil, secrets: Sides = [],
        nestedGap: NestedGap? = nil
    ) {
        self.kind = kind
        self.pointer = pointer
        self.className = className
        self.secrets = secrets
        self.nestedGap = nestedGap
    }

    /// Whether a part of a value is hidden, or was not looked into.
    var isUnknown: Bool { !secrets.isEmpty || nestedGap != nil }

    /// `added`, `deleted`, `modified`, `order` or `encoding`.
    public var name: String {
        switch kind {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .order: "order"
        case .encoding: "encoding"
        }
    }

    /// The old value, of an order the elements; nil where there is none.
    public var old: PlistValue? {
        switch kind {
        case .deleted(let old), .modified(let old, _): old
        case .order(let old, _): .array(old)
        case .added, .encoding: nil
        }
    }

    /// The new value, of an order the elements; nil where there is none.
    public var new: PlistValue? {
        switch kind {
        case .added(let new), .modified(_, let new): new
        case .order(_, let new): .array(new)
        case .deleted, .encoding: nil
        }
    }

    /// Whether the value has another type.
    public var isChangeOfType: Bool {
        guard case .modified(let old, let new) = kind else { return false }
        return old.typeName != new.typeName
    }
}

/// Why it is not known what differs in the property lists that two values hold.
public enum NestedGap: Hashable, Sendable {
    /// A value is hidden, or longer than what is looked into.
    case notKept
    /// One side alone is a property list.
    case oneSided
    /// A value begins as a property list and can't be read as one.
    case unreadable

    /// What is said of keyed archives that are compared as property lists, lower case.
    package var archiveText: String {
        switch self {
        case .oneSided: "only one side is a keyed archive"
        case .unreadable, .notKept: "a keyed archive refers to missing objects"
        }
    }

    /// What is said of it, lower case.
    package var text: String {
        switch self {
        case .notKept: "hidden or too long"
        case .oneSided: "one side is not a property list"
        case .unreadable: "can't be read as a property list"
        }
    }
}
