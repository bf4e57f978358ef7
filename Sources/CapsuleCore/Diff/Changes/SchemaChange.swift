/// A table, index, view or trigger that one side alone has, or that is made in another way.
public struct SchemaChange: Hashable, Sendable {
    /// What became of it.
    public var operation: ChangeOperation
    /// `table`, `virtual table`, `index`, `view` or `trigger`; for a pragma that is part of a database's meaning, `pragma`.
    public var object: String
    /// Its name.
    public var name: String
    /// The SQL that made it, or the pragma's value; nil where it is not there, and for indexes that constraints made.
    public var old: String?
    /// The newer statement; nil where the newer database has none.
    public var new: String?
    /// Of a table, the Core Data entity that it is named after, where that is known.
    public var entity: String?

    /// A change of the schema.
    public init(_ operation: ChangeOperation, object: String, name: String, old: String? = nil, new: String? = nil) {
        self.operation = operation
        self.object = object
        self.name = name
        self.old = old
        self.new = new
    }
}
