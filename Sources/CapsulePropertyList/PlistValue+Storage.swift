extension PlistValue {
    /// The address of a container's contents; nil for scalars and for what is empty.
    ///
    /// Two values that have the same one, and are both held, are equal: so a comparison can remember what it has seen of the
    /// shared objects of a binary property list.
    package var storageAddress: UInt? {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary) where !dictionary.isEmpty:
            dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        default:
            nil
        }
    }
}
