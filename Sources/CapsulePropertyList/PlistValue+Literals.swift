/// Values can be written as Swift literals: `["Name": "a", "Count": 1, "Ratio": 1.0, "On": true, "List": []]`.
extension PlistValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) {
        self = .string(PlistString(value))
    }

    /// An integer.
    public init(integerLiteral value: Int) {
        self = .integer(PlistInteger(value))
    }

    /// A real.
    public init(floatLiteral value: Double) {
        self = .real(value)
    }

    /// A boolean.
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }

    /// An array.
    public init(arrayLiteral elements: PlistValue...) {
        self = .array(elements)
    }

    /// A key that is written twice keeps its last value.
    public init(dictionaryLiteral elements: (PlistString, PlistValue)...) {
        self = .dictionary(PlistDictionary(elements))
    }
}
