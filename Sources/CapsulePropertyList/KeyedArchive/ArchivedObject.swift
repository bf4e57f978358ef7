/// One object of a keyed archive. Wherever there is a `.uid` in what it holds, it refers to another one.
public struct ArchivedObject: Sendable {
    /// What an object holds.
    public enum Content: Sendable {
        /// Nil, which is object 0.
        case null
        /// A string, a number, a date or data; a URL or UUID as text; or a property list without a class.
        case value(PlistValue)
        /// The elements of an array or an ordered set.
        case array([PlistValue])
        /// The elements of a set, in no order.
        case set([PlistValue])
        /// The entries of a dictionary, in no order: keys, which can be any objects, and as many values.
        case dictionary(keys: [PlistValue], values: [PlistValue])
        /// The fields of any other object by name, `$class` among them.
        case fields(PlistDictionary)
    }

    /// The class, and then those that it inherits from if the archive names them; none for a value that has no class.
    public let classNames: [PlistString]
    /// What it holds.
    public let content: Content

    /// The class; nil for a value that has none.
    public var className: PlistString? { classNames.first }
}
