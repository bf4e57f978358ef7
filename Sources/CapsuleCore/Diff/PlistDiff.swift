package import CapsulePropertyList

/// The differences between two property lists, by pointer (docs/diff.md, docs/overlay.md).
///
/// The elements of arrays are paired by the array's identity. Data that holds property lists on both sides is compared inside,
/// at `<plist>`. Keyed archives, in data or not, are compared as graphs, at `<archive>`. The numbering of their objects makes
/// no difference.
package struct PlistDiff: Hashable, Sendable {
    package static let changeLimit = 100_000

    package enum Bound: String, Hashable, Sendable, CaseIterable {
        case changes
        /// Values that are too deep for a pointer were compared as a whole.
        case depth
        /// Property lists in data that are nested too deep, or are too large together, were compared as data. Keyed archives
        /// whose graphs are too large or too many were compared as property lists.
        case nestedDocuments
    }

    /// A place where a side has a keyed archive, and both sides were compared as property lists.
    package struct Unresolved: Hashable, Sendable {
        /// The pointer of the place. A pointer to a value inside would continue with `<archive>`.
        package let pointer: PlistPointer
        package let gap: NestedGap
    }

    static let unresolvedLimit = 1_000

    /// The changes in the order of the old document. Entries that were added to a dictionary follow its other entries.
    package internal(set) var changes: [PlistChange]
    package let bounds: Set<Bound>
    package let unresolved: [Unresolved]

    package init(
        _ old: PlistValue, _ new: PlistValue, identities: ArrayIdentities = ArrayIdentities(), limit: Int = changeLimit
    ) throws(OverlayError) {
        try self.init(old, new, identities: identities, limit: limit) { _ in true }
    }

    /// - Parameters:
    ///   - isWhole: returns true for the place of a dictionary that is compared as one value.
    ///   - keeps: returns true for a change that the result has.
    package init(
        _ old: PlistValue, _ new: PlistValue, identities: ArrayIdentities, limit: Int,
        isWhole: @escaping (PlistPointer) -> Bool = { _ in false }, keeps: @escaping (PlistChange) -> Bool
    ) throws(OverlayError) {
        var comparison = PlistDiffer(identities: identities, limit: limit, isWhole: isWhole, keeps: keeps)
        try comparison.run(old, new)
        changes = comparison.changes
        bounds = comparison.bounds
        unresolved = comparison.unresolved
    }

    /// True if the values are equal, except for the numbering of objects in keyed archives.
    package var isEmpty: Bool { changes.isEmpty && bounds.isEmpty }
}

/// One difference between two property lists.
package struct PlistChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case added(PlistValue)
        case deleted(PlistValue)
        case modified(old: PlistValue, new: PlistValue)
        /// The elements that both arrays have are in another order. Each is represented by the value that it is paired by, or
        /// by itself.
        case order(old: [PlistValue], new: [PlistValue])
        /// Data holds the same value in another encoding, or spelled differently in the same encoding.
        case encoding(old: PlistFormat, new: PlistFormat)
    }

    /// The place of the change: in the new property list for an added value, otherwise in the old one. An array element that
    /// its content does not identify has its index there.
    package let pointer: PlistPointer
    package let kind: Kind
    /// The class of the object that contains the place, if it is in the graph of a keyed archive, behind `<archive>`.
    package let className: PlistString?
    /// The sides whose values are hidden, as a whole or in part. Words replace their secrets.
    package let secrets: Sides
    /// The reason that a property list in one of two data values was not compared as one. It is nil if none was skipped, or if
    /// a bound of the comparison explains it.
    package let nestedGap: NestedGap?
    /// The name that values beside the place give it, as in a pair of a name and a value.
    package let naming: SecretName

    package struct Sides: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let old = Sides(rawValue: 1 << 0)
        package static let new = Sides(rawValue: 1 << 1)
    }

    package init(
        _ kind: Kind, at pointer: PlistPointer, in className: PlistString? = nil, secrets: Sides = [],
        nestedGap: NestedGap? = nil, naming: SecretName = []
    ) {
        self.kind = kind
        self.pointer = pointer
        self.className = className
        self.secrets = secrets
        self.nestedGap = nestedGap
        self.naming = naming
    }

    package var name: String {
        switch kind {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .order: "order"
        case .encoding: "encoding"
        }
    }

    /// The old value, or the old elements for a change of order. It is nil if there is none.
    package var old: PlistValue? {
        switch kind {
        case .deleted(let old), .modified(let old, _): old
        case .order(let old, _): .array(old)
        case .added, .encoding: nil
        }
    }

    package var new: PlistValue? {
        switch kind {
        case .added(let new), .modified(_, let new): new
        case .order(_, let new): .array(new)
        case .deleted, .encoding: nil
        }
    }

    package var isChangeOfType: Bool {
        guard case .modified(let old, let new) = kind else { return false }
        return old.typeName != new.typeName
    }
}

/// The reason that the differences between property lists in two values are not known.
package enum NestedGap: Hashable, Sendable {
    /// A value is hidden, or too long to be read.
    case notKept
    case oneSided, unreadable

    package var archiveText: String {
        switch self {
        case .oneSided: "only one side is a keyed archive"
        case .unreadable, .notKept: "a keyed archive refers to missing objects"
        }
    }

    package var text: String {
        switch self {
        case .notKept: "too long"
        case .oneSided: "one side is not a property list"
        case .unreadable: "can't be read as a property list"
        }
    }
}
