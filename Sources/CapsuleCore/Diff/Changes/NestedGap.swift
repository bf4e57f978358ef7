/// Why it is not known what differs in the property lists that two values hold.
public enum NestedGap: Hashable, Sendable {
    /// A value is hidden, or longer than what is looked into.
    case notKept
    /// One side alone is a property list.
    case oneSided
    /// A value begins as a property list and can't be read as one.
    case unreadable

    /// What is said of it, lower case.
    var text: String {
        switch self {
        case .notKept: "is hidden or too long"
        case .oneSided: "one side is no property list"
        case .unreadable: "can't be read as a property list"
        }
    }
}
