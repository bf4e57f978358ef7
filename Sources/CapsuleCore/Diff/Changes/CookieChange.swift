/// A cookie that one side alone has, or that has other fields.
public struct CookieChange: Hashable, Sendable {
    /// A field of it, `value`, `expires`, `flags`.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var old: ShownValue?
        public var new: ShownValue?

        /// A field with its values.
        public init(_ name: String, old: ShownValue?, new: ShownValue?) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    public var operation: ChangeOperation
    public var domain: String
    public var path: String
    public var cookie: String
    /// Of a cookie that was modified, those that differ; else all.
    public var fields: [Field]

    /// A cookie's change.
    public init(_ operation: ChangeOperation, domain: String, path: String, cookie: String, fields: [Field]) {
        self.operation = operation
        self.domain = domain
        self.path = path
        self.cookie = cookie
        self.fields = fields
    }
}
