/// The payload of a value, if it is of the type asked for; nothing is ever converted.
extension PlistValue {
    /// The string; nil for any other type.
    public var string: PlistString? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The integer; nil for any other type, reals included.
    public var integer: PlistInteger? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The real; nil for any other type, integers included.
    public var real: Double? {
        guard case .real(let real) = self else { return nil }
        return real
    }

    /// The boolean; nil for any other type.
    public var boolean: Bool? {
        guard case .boolean(let boolean) = self else { return nil }
        return boolean
    }

    /// The date, in seconds since 2001-01-01T00:00:00Z; nil for any other type.
    public var date: Double? {
        guard case .date(let seconds) = self else { return nil }
        return seconds
    }

    /// The bytes of data; nil for any other type.
    public var data: [UInt8]? {
        guard case .data(let bytes) = self else { return nil }
        return bytes
    }

    /// The number of a UID; nil for any other type.
    public var uid: UInt64? {
        guard case .uid(let uid) = self else { return nil }
        return uid
    }

    /// Whether it is JSON's null.
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The elements of an array; nil for any other type.
    public var array: [PlistValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The dictionary; nil for any other type.
    public var dictionary: PlistDictionary? {
        guard case .dictionary(let dictionary) = self else { return nil }
        return dictionary
    }

    /// True for an array or a dictionary.
    public var isContainer: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }

    /// The type's name in messages: `string`, `integer`, `real`, `boolean`, `date`, `data`, `uid`, `null`,
    /// `array`, `dictionary`.
    public var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .boolean: "boolean"
        case .date: "date"
        case .data: "data"
        case .uid: "uid"
        case .null: "null"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    /// `a string`, `an integer`.
    public var typeNameWithArticle: String {
        switch self {
        case .integer, .array: "an \(typeName)"
        case .data, .null: typeName
        default: "a \(typeName)"
        }
    }
}
