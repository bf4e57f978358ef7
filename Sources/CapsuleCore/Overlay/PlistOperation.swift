public import CapsulePropertyList

/// One step of an overlay on a property list.
public struct PlistOperation: Hashable, Sendable {
    /// What is done: RFC 6902's six, and four more.
    public enum Action: Hashable, Sendable {
        /// Sets a key, or inserts into an array.
        case add(PlistValue)
        /// Sets a key that has no other value, or inserts into an array: what it puts there replaces nothing.
        case insert(PlistValue)
        /// Takes out what has to be there.
        case remove
        /// Puts a value in place of one that has to be there.
        case replace(PlistValue)
        /// Takes out a value there and adds it here.
        case move(from: PlistPointer)
        /// Adds the value that is there here as well.
        case copy(from: PlistPointer)
        /// Changes nothing, and fails unless just this value is there.
        case test(PlistValue)
        /// Merges deep; makes dictionaries that are missing.
        case merge(PlistValue)
        /// Adds to an array what is not yet in it; makes dictionaries and the array if they are missing.
        case union([PlistValue])
        /// Takes out of an array what is in it; of nothing, nothing.
        case subtract([PlistValue])

        /// The operation's name in documents.
        public var name: String {
            switch self {
            case .add: "add"
            case .insert: "insert"
            case .remove: "remove"
            case .replace: "replace"
            case .move: "move"
            case .copy: "copy"
            case .test: "test"
            case .merge: "merge"
            case .union: "union"
            case .subtract: "subtract"
            }
        }

        /// All names, for messages.
        public static let names = [
            "add", "remove", "replace", "move", "copy", "test", "insert", "merge", "union", "subtract",
        ]
    }

    /// What is done.
    public var action: Action
    /// Where.
    public var path: PlistPointer
    /// All must hold, else the operation is passed over.
    public var conditions: [Condition]

    /// An operation at a place.
    public init(_ action: Action, at path: PlistPointer, when conditions: [Condition] = []) {
        self.action = action
        self.path = path
        self.conditions = conditions
    }
}
