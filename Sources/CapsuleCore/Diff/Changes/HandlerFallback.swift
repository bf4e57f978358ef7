public import CapsulePropertyList

/// Why a content was not compared by what it seemed to be.
public struct HandlerFallback: Hashable, Sendable {
    /// What stands in ``from`` where the bytes themselves could not be read.
    public static let content = "content"

    /// What stands in ``to`` where nothing compared it then.
    public static let nothing = "none"

    /// Of which sides the content could not be read as that.
    public enum Side: String, Hashable, Sendable {
        /// The older one.
        case a
        /// The newer one.
        case b
        /// Both of them.
        case both
    }

    /// The side that the handler could not read.
    public var side: Side
    /// The handler that could not compare the content.
    public var from: String
    /// What compared it then.
    public var to: String
    /// For people.
    public var reason: String
    /// Of a keyed archive that was compared as a property list: where it is in the content.
    public var archive: PlistPointer?

    /// A handler's failure.
    public init(side: Side, from: String, to: String, reason: String, archive: PlistPointer? = nil) {
        self.side = side
        self.from = from
        self.to = to
        self.reason = reason
        self.archive = archive
    }
}
