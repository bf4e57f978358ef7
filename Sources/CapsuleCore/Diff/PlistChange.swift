public import CapsulePropertyList

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
