/// Why bytes are not of the content that they were taken for.
public struct ContentError: Error, Hashable, Sendable {
    /// What callers tell apart.
    public struct Code: Hashable, Sendable {
        private enum Value { case unrecognised, damaged, limit }
        private let value: Value

        /// They do not begin as such a content does.
        public static let unrecognised = Code(value: .unrecognised)
        /// They begin as it does, and go on as it can't.
        public static let damaged = Code(value: .damaged)
        /// Too much of something.
        public static let limit = Code(value: .limit)
    }

    /// What callers tell apart.
    public let code: Code
    /// What is wrong, lower case, no period; the reason of a ``HandlerFallback``.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
