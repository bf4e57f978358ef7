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
