/// A cookie that one side alone has, or that has other fields.
public struct CookieChange: Hashable, Sendable {
    /// A field of it, `value`, `expires`, `flags`.
    public struct Field: Hashable, Sendable {
        /// The field's name.
        public var name: String
        /// Its older value; nil where the older side lacks it.
        public var old: ShownValue?
        /// Its newer value; nil where the newer side lacks it.
        public var new: ShownValue?

        /// A field with its values.
        public init(_ name: String, old: ShownValue?, new: ShownValue?) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    /// What became of the cookie.
    public var operation: ChangeOperation
    /// The host it is for.
    public var domain: String
    /// The beginning of the paths that it is for.
    public var path: String
    /// Its name.
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
