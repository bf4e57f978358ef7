/// What to do at a place of a property list.
public enum PlistEdit {
    /// Sets a dictionary's key, or inserts into an array before the place (RFC 6902, section 4.1).
    case add(PlistValue)
    /// Sets a dictionary's key or an array's element; at an array's end it appends.
    case set(PlistValue)
    /// Puts another value in the place of one that must be there.
    case replace(PlistValue)
    /// Takes out a value that must be there.
    case remove
    /// Changes a value that must be there.
    case transform((inout PlistValue) throws(PlistError) -> Void)

    /// What it makes of the value at the place itself.
    func change(_ value: inout PlistValue) throws(PlistError) {
        switch self {
        case .add(let new), .set(let new), .replace(let new): value = new
        case .transform(let body): try body(&value)
        case .remove: throw PlistError(.mismatch, "the whole value can't be removed")
        }
    }
}
