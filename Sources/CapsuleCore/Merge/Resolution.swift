public import CapsulePropertyList

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
