/// The payload of a value, if it is of the type asked for; nothing is ever converted.
extension PlistValue {
    public var string: PlistString? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    public var integer: PlistInteger? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    public var real: Double? {
        guard case .real(let real) = self else { return nil }
        return real
    }

    public var boolean: Bool? {
        guard case .boolean(let boolean) = self else { return nil }
        return boolean
    }

    /// Seconds since 2001-01-01T00:00:00Z.
    public var date: Double? {
        guard case .date(let seconds) = self else { return nil }
        return seconds
    }

    public var data: [UInt8]? {
        guard case .data(let bytes) = self else { return nil }
        return bytes
    }

    public var uid: UInt64? {
        guard case .uid(let uid) = self else { return nil }
        return uid
    }

    public var array: [PlistValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

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

    /// The type's name in messages: `string`, `integer`, `real`, `boolean`, `date`, `data`, `uid`, `array`,
    /// `dictionary`.
    public var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .boolean: "boolean"
        case .date: "date"
        case .data: "data"
        case .uid: "uid"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}
