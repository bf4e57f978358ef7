import CapsulePropertyList

/// What an overlay makes of one path of a tree: all states before speak of the tree before, all after of the tree after, so
/// that records have no order (docs/overlay.md, section 9).
public struct FileRecord: Hashable, Sendable {
    /// Where a target stands between the two states.
    public enum Standing: Hashable, Sendable {
        /// It is as it is to become, and nothing is to be done.
        case new
        /// It is as it was, and is changed.
        case old
        /// It is neither.
        case drifted
    }

    /// In the tree; app groups as `AppGroups/ID/…`.
    public var path: RelativePath
    /// What must be there before; nil where nothing must be.
    public var old: FileState?
    /// What is there after; nil for nothing.
    public var new: FileState?

    /// A record of a path.
    public init(path: RelativePath, old: FileState?, new: FileState?) {
        self.path = path
        self.old = old
        self.new = new
    }

    /// Where a target with this entry at the path stands.
    ///
    /// - Parameter entry: with its digest and attributes; nil if there is none.
    public func standing(of entry: TreeEntry?) -> Standing {
        if Self.isMet(new, by: entry) { return .new }
        return Self.isMet(old, by: entry) ? .old : .drifted
    }

    /// Whether it only says what must be there, as of a database's log that does not change.
    public var isGuard: Bool {
        switch (old, new) {
        case (nil, nil): true
        case (let old?, let new?): old.isSame(as: new)
        default: false
        }
    }

    private static func isMet(_ state: FileState?, by entry: TreeEntry?) -> Bool {
        switch (state, entry) {
        case (nil, nil): true
        case (let state?, let entry?): state.isMet(by: entry)
        default: false
        }
    }
}

/// What an overlay's record says of a path before or after: only what is said is compared, and only that is changed.
public struct FileState: Hashable, Sendable {
    /// A file's bytes.
    public struct Content: Hashable, Sendable {
        /// In bytes.
        public var size: UInt64
        /// SHA-256 of all of it.
        public var digest: ContentDigest
        /// How it is put together of the other state's bytes and of carried ones; nil if it is carried whole, or not at all.
        public var recipe: ContentRecipe?

        /// A content by its digest.
        public init(size: UInt64, digest: ContentDigest, recipe: ContentRecipe? = nil) {
            self.size = size
            self.digest = digest
            self.recipe = recipe
        }
    }

    /// A file, directory or link; never an identity.
    public var kind: EntryKind
    /// nil where it is not said, as of links.
    public var mode: FileMode?
    /// When it last changed; given to what is made, and never compared.
    public var modified: Timestamp?
    /// By name bytes, each name once; nil where it is not said.
    public var attributes: [ExtendedAttribute]?
    /// A link's target; empty for all else.
    public var target: [UInt8]
    /// A file's; nil where it is not said, and for all else.
    public var content: Content?

    /// A state of these parts.
    public init(
        kind: EntryKind, mode: FileMode? = nil, modified: Timestamp? = nil, attributes: [ExtendedAttribute]? = nil,
        target: [UInt8] = [], content: Content? = nil
    ) {
        self.kind = kind
        self.mode = mode
        self.modified = modified
        self.attributes = attributes
        self.target = target
        self.content = content
    }

    /// Whether an entry, whose digest and attributes are known, is as this says.
    public func isMet(by entry: TreeEntry) -> Bool {
        guard entry.kind == kind, entry.target == target else { return false }
        // Bits that never come back are no difference.
        if let mode, kind != .link, entry.mode.restorable(for: kind) != mode.restorable(for: kind) { return false }
        if let attributes, entry.attributes != attributes { return false }
        if let content, entry.size != content.size || entry.digest != content.digest { return false }
        return true
    }

    /// Whether two states say the same, whatever the times and the recipes.
    public func isSame(as other: FileState) -> Bool {
        kind == other.kind && mode == other.mode && attributes == other.attributes && target == other.target
            && content?.size == other.content?.size && content?.digest == other.content?.digest
    }
}

extension FileState: CustomStringConvertible {
    /// All that is said, in words: `a file, 0644, 5 bytes, digest 3f786850e387`, `a link to "x"`.
    public var description: String {
        var parts = [
            kind == .link ? "a link to \(PlistString(String(decoding: target, as: UTF8.self)).quoted)" : "a \(kind.word)"
        ]
        if let mode { parts.append(mode.octal) }
        if let content {
            parts.append("\(content.size) \(content.size == 1 ? "byte" : "bytes")")
            parts.append("digest \(content.digest.hex.prefix(12))")
        }
        if let attributes, !attributes.isEmpty {
            parts.append("\(attributes.count) \(attributes.count == 1 ? "attribute" : "attributes")")
        }
        return parts.joined(separator: ", ")
    }
}

/// How a file's bytes are put together of those of its other state and of those that the overlay carries.
public struct ContentRecipe: Hashable, Sendable {
    /// A stretch of the content.
    public enum Piece: Hashable, Sendable {
        /// Bytes of the other state, from an offset on.
        case copied(offset: UInt64, length: UInt64)
        /// The next bytes of what is carried.
        case carried(length: UInt64)

        /// In bytes; more than 0.
        public var length: UInt64 {
            switch self {
            case .copied(_, let length), .carried(let length): length
            }
        }
    }

    /// In the order of the content, which they make up.
    public var pieces: [Piece]
    /// SHA-256 of all carried stretches, one behind the other.
    public var carried: ContentDigest

    /// A recipe of these pieces.
    public init(pieces: [Piece], carried: ContentDigest) {
        self.pieces = pieces
        self.carried = carried
    }

    /// How many bytes are carried for it; nil where that is more than can be counted.
    public var carriedSize: UInt64? {
        var sum: UInt64 = 0
        for case .carried(let length) in pieces {
            let (next, overflows) = sum.addingReportingOverflow(length)
            if overflows { return nil }
            sum = next
        }
        return sum
    }
}
