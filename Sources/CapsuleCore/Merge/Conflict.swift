public import CapsulePropertyList

/// A place where two sides changed the base differently (docs/merge.md, section 3).
public struct Conflict: Hashable, Sendable {
    /// What the sides disagree about.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One value of a property list.
        case value
        /// Neighbouring elements of an array.
        case sequence
        /// In which order an array has elements that both sides keep.
        case order
        /// A row of a table, or one column of it.
        case row
        /// Neighbouring lines of a text.
        case text
        /// The encoding of a property list or a text.
        case encoding
        /// A mode or an extended attribute.
        case metadata
        /// All of a file that can't be merged any finer.
        case contents
        /// Two files, made where there was none.
        case addAdd = "add/add"
        /// A file that one side changed and the other deleted.
        case modifyDelete = "modify/delete"
        /// A file that one side changed and the other renamed, with changes of its own.
        case renameModify = "rename/modify"
        /// A file that got two names.
        case renameRename = "rename/rename"
        /// A file on one side, a directory with something in it on the other.
        case fileDirectory = "file/directory"
    }

    /// Its number among the conflicts of a merge, from 1 on, in an order that depends on the three inputs alone.
    ///
    /// Empty until ``MergeDecisions/settle(_:accepting:)`` gives it one.
    public var id = ""
    /// What the sides disagree about.
    public var kind: Kind
    /// The path in the tree, a unit's that of its main file; nil where two files are merged and not containers.
    public var path: RelativePath?
    /// The place in a property list; nil for one that is about the whole file.
    public var pointer: PlistPointer?
    /// The elements, or lines, of the base that are in question, counted from 0; empty for an insertion.
    public var range: Range<Int>?
    /// The table of a row.
    public var table: String?
    /// The key of a row, by columns.
    public var row: PlistDictionary?
    /// The column of a row; for metadata `mode` or the attribute's name.
    public var column: String?
    /// What the base has; nil for nothing. Lines of a text are one string.
    public var base: PlistValue?
    /// What ours has; nil for nothing.
    public var ours: PlistValue?
    /// What theirs has; nil for nothing.
    public var theirs: PlistValue?
    /// Why it is one, in words, lower case.
    public var reason: String
    /// What was decided; nil while it is open.
    public internal(set) var resolution: Resolution?
    /// The preference that decided it, as it was written; nil if a file of resolutions did, or nothing.
    public internal(set) var decidedBy: String?

    /// An open conflict about a place that is still to be named.
    public init(
        _ kind: Kind, path: RelativePath? = nil, pointer: PlistPointer? = nil, base: PlistValue?, ours: PlistValue?,
        theirs: PlistValue?, reason: String
    ) {
        self.kind = kind
        self.path = path
        self.pointer = pointer
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.reason = reason
    }

    /// Whether it is about the same place as another one.
    public func isAbout(_ other: Conflict) -> Bool {
        kind == other.kind && path == other.path && pointer == other.pointer && range == other.range && table == other.table
            && row == other.row && column == other.column
    }
}
