/// Why a content was not compared by what it seemed to be.
public struct HandlerFallback: Hashable, Sendable {
    /// What stands in ``from`` where the bytes themselves could not be read.
    public static let content = "content"

    /// What stands in ``to`` where nothing compared it then.
    public static let nothing = "none"

    public enum Side: String, Hashable, Sendable { case a, b, both }

    /// The side that the handler could not read.
    public var side: Side
    public var from: String
    /// What compared it then.
    public var to: String
    /// For people.
    public var reason: String

    /// A handler's failure.
    public init(side: Side, from: String, to: String, reason: String) {
        self.side = side
        self.from = from
        self.to = to
        self.reason = reason
    }
}
