package import CapsuleCore
import CapsulePropertyList

/// The change that an overlay makes to one path of a tree. All old states describe the tree before and all new states the tree
/// afterwards, so records have no order (docs/overlay.md, section 9).
package struct FileRecord: Hashable, Sendable {
    /// The relation of a target to the old and the new state.
    package enum Applicability: Hashable, Sendable {
        /// The target has the new state already, and nothing needs to be done.
        case new
        /// The target has the old state, and is changed.
        case old
        /// The target has neither state.
        case drifted
    }

    /// The path in the tree. Entries of app groups are at `AppGroups/ID/…`.
    package var path: RelativePath
    /// The required state before; nil if nothing may exist at the path.
    package var old: FileState?
    /// The state afterwards; nil if nothing exists at the path.
    package var new: FileState?

    package init(path: RelativePath, old: FileState?, new: FileState?) {
        self.path = path
        self.old = old
        self.new = new
    }

    /// Returns the state that a target with this entry at the path has.
    ///
    /// - Parameter entry: the entry with its digest and attributes; nil if there is none.
    package func applicability(of entry: TreeEntry?) -> Applicability {
        if Self.isMet(new, by: entry) { return .new }
        return Self.isMet(old, by: entry) ? .old : .drifted
    }

    package var isGuard: Bool {
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

/// The state of a path before or afterwards, as a record gives it. Only the parts that it gives are compared and changed.
package struct FileState: Hashable, Sendable {
    package struct Content: Hashable, Sendable {
        package var size: UInt64
        package var digest: ContentDigest
        /// The recipe that assembles the content from bytes of the other state and carried bytes; nil if it is carried whole, or
        /// not at all.
        package var recipe: ContentRecipe?

        package init(size: UInt64, digest: ContentDigest, recipe: ContentRecipe? = nil) {
            self.size = size
            self.digest = digest
            self.recipe = recipe
        }
    }

    /// The kind of entry: a file, directory or link; never an identity.
    package var kind: EntryKind
    /// The mode; nil if it is not given, and for links.
    package var mode: FileMode?
    /// The modification time. It is set on an entry that is created or gets another content, and never compared.
    package var modified: Timestamp?
    /// The extended attributes in the order of their names' bytes, each name once; nil if they are not given.
    package var attributes: [ExtendedAttribute]?
    package var target: [UInt8]
    /// The content of a file; nil if it is not given, and for other kinds.
    package var content: Content?

    package init(
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

    /// Returns true if an entry, whose digest and attributes are known, has this state.
    package func isMet(by entry: TreeEntry) -> Bool {
        guard entry.kind == kind, entry.target == target else { return false }
        // Mode bits that are never restored do not count as a difference.
        if let mode, kind != .link, entry.mode.restorable(for: kind) != mode.restorable(for: kind) { return false }
        if let attributes, entry.attributes != attributes { return false }
        if let content, entry.size != content.size || entry.digest != content.digest { return false }
        return true
    }

    /// Returns true if two states are the same, apart from times and recipes.
    package func isSame(as other: FileState) -> Bool {
        kind == other.kind && mode == other.mode && attributes == other.attributes && target == other.target
            && content?.size == other.content?.size && content?.digest == other.content?.digest
    }
}

extension FileState: CustomStringConvertible {
    /// All parts in words: `a file, 0644, 5 bytes, digest 3f786850e387`, `a link to "x"`.
    package var description: String {
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

/// The instructions for assembling a file's bytes from those of its other state and those that the overlay carries.
package struct ContentRecipe: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        /// Bytes of the other state, starting at an offset.
        case copied(offset: UInt64, length: UInt64)
        /// The next of the carried bytes.
        case carried(length: UInt64)

        package var length: UInt64 {
            switch self {
            case .copied(_, let length), .carried(let length): length
            }
        }
    }

    /// The pieces in the order of the content. Together they are the whole content.
    package var pieces: [Piece]
    /// The SHA-256 of all carried bytes, one piece after the other.
    package var carried: ContentDigest

    package init(pieces: [Piece], carried: ContentDigest) {
        self.pieces = pieces
        self.carried = carried
    }

    package var carriedSize: UInt64? {
        var sum: UInt64 = 0
        for case .carried(let length) in pieces {
            let (next, overflows) = sum.addingReportingOverflow(length)
            if overflows { return nil }
            sum = next
        }
        return sum
    }
}
