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
