/// A row of a table that one side alone has, or that has other values.
public struct RowChange: Hashable, Sendable {
    /// A column of the row.
    public struct Column: Hashable, Sendable {
        /// Its SQL name.
        public var name: String
        /// The Core Data attribute that it stands for, where that is known.
        public var attribute: String?
        /// nil for a row that was added.
        public var old: ShownValue?
        /// nil for a row that was deleted.
        public var new: ShownValue?
        /// Where both values hold property lists: what differs in them, with pointers that begin at the column's value.
        public var nested: [PlistChange]
        /// Why a property list that a value holds was not compared as one; nil where none was passed over.
        public var nestedGap: NestedGap?
        /// The class of this column's change, where it is noise. A row is noise when all its changed columns are.
        public var noise: NoiseClass?

        /// A column with its values.
        public init(
            _ name: String, attribute: String? = nil, old: ShownValue? = nil, new: ShownValue? = nil, nested: [PlistChange] = []
        ) {
            self.name = name
            self.attribute = attribute
            self.old = old
            self.new = new
            self.nested = nested
        }
    }

    /// What the row is known by: a column of the primary key and its value, or `rowid`.
    public struct Key: Hashable, Sendable {
        /// The column's name, or `rowid`.
        public var column: String
        /// Its value in this row.
        public var value: ShownValue

        /// One part of a row's key.
        public init(_ column: String, _ value: ShownValue) {
            self.column = column
            self.value = value
        }
    }

    /// What became of the row.
    public var operation: ChangeOperation
    /// The table's SQL name.
    public var table: String
    /// The Core Data entity that it holds, where that is known.
    public var entity: String?
    /// The virtual table whose data the table holds; nil for a table of its own.
    public var owner: String?
    /// Empty where the table has neither a primary key nor row IDs in common: then columns say all.
    public var key: [Key]
    /// Of a row that was modified, the columns that differ; else all of them that are not NULL and not in the key.
    public var columns: [Column]
    /// Whether the database is known to be no Core Data store, whatever its tables are called.
    public var isPlain = false

    /// A row's change.
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

/// What became of a row, a table, a cookie.
public enum ChangeOperation: String, Hashable, Sendable, CaseIterable {
    /// The newer side alone has it.
    case added
    /// The older side alone has it.
    case deleted
    /// Both have it, with other content.
    case modified
}
