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

/// What is put in the place of a conflict: `Take` of a conflicts file.
public enum Resolution: Hashable, Sendable {
    /// What the base has.
    case base
    /// What ours has.
    case ours
    /// What theirs has.
    case theirs
    /// Nothing.
    case absent
    /// A value that was written for it; of a sequence an array of elements, of lines a string.
    case value(PlistValue)

    /// The word in a conflicts file.
    public var word: String {
        switch self {
        case .base: "base"
        case .ours: "ours"
        case .theirs: "theirs"
        case .absent: "absent"
        case .value: "value"
        }
    }
}

/// Numbers the conflicts of a merge as they are found, and decides those that something was said about.
///
/// Whether a conflict is decided must change nothing about which are found after it: a file of resolutions speaks of numbers.
public struct MergeDecisions: Sendable {
    /// All that were found, in their order.
    public private(set) var conflicts: [Conflict] = []
    /// What was decided before, by number.
    private let resolutions: [String: Resolution]
    /// What is preferred; the last one that fits decides.
    private let preferences: [MergePreference]
    /// What decides the conflicts that nothing else does; nil leaves them open.
    private var rest: Resolution?
    /// About how many bytes the values of property lists in conflict are, written out.
    var shown = 0
    /// The numbers that were decided with what can't stand in their place: a value of another type, a word that names nothing.
    /// Their conflicts stay open.
    public private(set) var unfitNumbers: [String] = []

    /// Decisions of a file of resolutions, which come first, and of preferences.
    public init(resolutions: [String: Resolution] = [:], preferences: [MergePreference] = []) {
        self.resolutions = resolutions
        self.preferences = preferences
    }

    /// How many are still open.
    public var openCount: Int { conflicts.count { $0.resolution == nil } }

    /// The same decisions, of which one more decides what is still open.
    func deciding(rest: Resolution) -> MergeDecisions {
        var decisions = self
        decisions.rest = rest
        return decisions
    }

    /// Notes a conflict.
    ///
    /// - Parameters:
    ///   - conflict: what both sides changed; it is listed, whatever becomes of it.
    ///   - isFit: whether what was decided can stand in its place. What can't leaves the conflict open.
    /// - Returns: what was decided about it; nil leaves it open, and then ours stands in its place.
    public mutating func settle(_ conflict: Conflict, accepting isFit: (Resolution) -> Bool = { _ in true }) -> Resolution? {
        var conflict = conflict
        conflict.id = String(conflicts.count + 1)
        if let resolution = resolutions[conflict.id] {
            if isFit(resolution) { conflict.resolution = resolution } else { unfitNumbers.append(conflict.id) }
        } else if let preference = preferences.last(where: { $0.concerns(conflict) }) {
            conflict.resolution = preference.resolution
            conflict.decidedBy = preference.text
        } else if let rest, isFit(rest) {
            conflict.resolution = rest
        }
        conflicts.append(conflict)
        return conflict.resolution
    }
}
