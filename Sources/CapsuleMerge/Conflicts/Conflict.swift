package import CapsuleCore
package import CapsulePropertyList

/// A place where two sides changed the base differently (docs/merge.md, section 3).
package struct Conflict: Hashable, Sendable {
    /// The kind of a conflict: the thing that the sides disagree about.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case value
        /// Neighboring elements of an array.
        case sequence
        /// The order of elements that both sides keep in an array.
        case order
        case row, text, encoding, metadata
        /// The whole content of a file that can't be merged in smaller parts.
        case contents
        case addAdd = "add/add"
        case modifyDelete = "modify/delete"
        /// A file that one side changed and the other renamed, with changes of its own.
        case renameModify = "rename/modify"
        /// A file that each side renamed to another name.
        case renameRename = "rename/rename"
        /// A file on one side and a directory on the other, or names that are the same name on some file systems.
        case fileDirectory = "file/directory"
    }

    /// The number of the conflict in its merge, from 1 on. The order depends only on the three inputs.
    ///
    /// Empty until ``MergeDecisions/resolve(_:accepting:)`` assigns it.
    package var id = ""
    package var kind: Kind
    /// The path in the tree; for a unit, the path of its main file; nil if files are merged and not containers.
    package var path: RelativePath?
    /// The place in a property list; nil for a conflict about the whole file.
    package var pointer: PlistPointer?
    /// The elements, or lines, of the base that are in conflict, counted from 0; empty for an insertion.
    package var range: Range<Int>?
    package var table: String?
    package var row: PlistDictionary?
    /// The column of the row; for metadata, `mode` or the attribute's name.
    package var column: String?
    /// The value of the base; nil if there is none. Lines of a text are one string.
    package var base: PlistValue?
    package var ours: PlistValue?
    package var theirs: PlistValue?
    package var reason: String
    /// The decision; nil while the conflict is open.
    package internal(set) var resolution: Resolution?
    /// The preference that decided the conflict, as it was written; nil if a resolutions file did, or nothing.
    package internal(set) var decidedBy: String?

    package init(
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

    package func isAbout(_ other: Conflict) -> Bool {
        kind == other.kind && path == other.path && pointer == other.pointer && range == other.range && table == other.table
            && row == other.row && column == other.column
    }
}

/// The decision on a conflict: `Take` in a conflicts file.
package enum Resolution: Hashable, Sendable {
    case base, ours, theirs, absent
    /// A value that was written for the conflict: for a sequence an array of elements, for lines a string.
    case value(PlistValue)

    package var word: String {
        switch self {
        case .base: "base"
        case .ours: "ours"
        case .theirs: "theirs"
        case .absent: "absent"
        case .value: "value"
        }
    }
}

/// Numbers the conflicts of a merge in the order in which they are found, and decides those that have a resolution or a preference.
///
/// A decision must never change which conflicts are found after it, because a resolutions file refers to conflicts by number.
package struct MergeDecisions: Sendable {
    package private(set) var conflicts: [Conflict] = []
    private let resolutions: [String: Resolution]
    /// The preferences. The last one that matches decides.
    private let preferences: [MergePreference]
    /// The decision on all other conflicts; nil leaves them open.
    private var rest: Resolution?
    /// The approximate size in bytes of the values of property lists in conflict, written out.
    var shown = 0
    /// The numbers of the conflicts whose resolutions are not valid for them: a value of another type, or a word that names
    /// nothing. These conflicts stay open.
    package private(set) var unfitNumbers: [String] = []

    /// Creates decisions from the resolutions of a file, which take precedence, and from preferences.
    package init(resolutions: [String: Resolution] = [:], preferences: [MergePreference] = []) {
        self.resolutions = resolutions
        self.preferences = preferences
    }

    package var openCount: Int { conflicts.count { $0.resolution == nil } }

    /// Returns the same decisions, with one more for all conflicts that would stay open.
    func deciding(rest: Resolution) -> MergeDecisions {
        var decisions = self
        decisions.rest = rest
        return decisions
    }

    /// - Parameters:
    ///   - isFit: returns true if a resolution is valid for the conflict. An invalid one leaves the conflict open. Preferences are
    ///     not checked.
    /// - Returns: the decision; nil if the conflict stays open, and ours is kept.
    package mutating func resolve(_ conflict: Conflict, accepting isFit: (Resolution) -> Bool = { _ in true }) -> Resolution? {
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
