/// A row of a table that only one side has, or whose values differ.
public struct RowChange: Hashable, Sendable {
    /// A column of the row.
    public struct Column: Hashable, Sendable {
        /// The SQL name of the column.
        public var name: String
        /// The Core Data attribute that the column stores, if it is known.
        public var attribute: String?
        /// The older value, or nil for a row that was added.
        public var old: DisplayValue?
        /// The newer value, or nil for a row that was deleted.
        public var new: DisplayValue?
        /// The differences between property lists in both values. Their pointers begin at the column's value.
        public var nested: [PlistChange]
        /// The reason that a property list in a value was not compared as one, or nil if none was skipped.
        public var nestedGap: NestedGap?
        /// The noise class of the column's change, if it is noise. A row is noise if all its changed columns are.
        public var noise: NoiseClass?

        /// Creates a column with its values.
        public init(
            _ name: String, attribute: String? = nil, old: DisplayValue? = nil, new: DisplayValue? = nil,
            nested: [PlistChange] = []
        ) {
            self.name = name
            self.attribute = attribute
            self.old = old
            self.new = new
            self.nested = nested
        }
    }

    /// A part of the key that identifies the row: a column of the primary key with its value, or the `rowid`.
    public struct Key: Hashable, Sendable {
        /// The column's name, or `rowid`.
        public var column: String
        /// The value of the column in this row.
        public var value: DisplayValue

        /// Creates one part of a row's key.
        public init(_ column: String, _ value: DisplayValue) {
            self.column = column
            self.value = value
        }
    }

    /// The operation on the row.
    public var operation: ChangeOperation
    /// The table's SQL name.
    public var table: String
    /// The Core Data entity that the table stores, if it is known.
    public var entity: String?
    /// The virtual table whose data the table stores, or nil if it is an ordinary table.
    public var owner: String?
    /// The key of the row. It is empty if the table has neither a primary key nor row IDs on both sides. Then only the columns
    /// identify the row.
    public var key: [Key]
    /// The columns that differ, for a modified row. Otherwise all columns that are neither NULL nor part of the key.
    public var columns: [Column]
    /// True if the database is known not to be a Core Data store, whatever the names of its tables are.
    public var isPlain = false

    /// Creates the change of a row.
    public init(
        _ operation: ChangeOperation, table: String, entity: String? = nil, key: [Key], columns: [Column]
    ) {
        self.operation = operation
        self.table = table
        self.entity = entity
        self.key = key
        self.columns = columns
    }
}

/// A table, index, view or trigger that only one side has, or whose definition differs.
public struct SchemaChange: Hashable, Sendable {
    /// The operation on the object.
    public var operation: ChangeOperation
    /// The kind of the object: `table`, `virtual table`, `index`, `view`, `trigger`, or `pragma` for a pragma that affects the
    /// meaning of a database.
    public var object: String
    /// The name of the object.
    public var name: String
    /// The SQL statement that created it, or the pragma's value. It is nil if the older database does not have the object, and
    /// for indexes that constraints create.
    public var old: String?
    /// The newer statement or value, or nil if the newer database does not have it.
    public var new: String?
    /// The Core Data entity that a table is named after, if it is known.
    public var entity: String?

    /// Creates a change of the schema.
    public init(_ operation: ChangeOperation, object: String, name: String, old: String? = nil, new: String? = nil) {
        self.operation = operation
        self.object = object
        self.name = name
        self.old = old
        self.new = new
    }
}

/// The change of a row, a schema object or a cookie as a whole.
public enum ChangeOperation: String, Hashable, Sendable, CaseIterable {
    /// Only the newer side has it.
    case added
    /// Only the older side has it.
    case deleted
    /// Both sides have it, with different content.
    case modified
}
