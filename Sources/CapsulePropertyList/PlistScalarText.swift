/// Scalars as people and XML spell them.
public enum PlistScalarText {
    /// What a text may spell, besides a string.
    public enum ScalarType: Sendable {
        /// Decimal, or hexadecimal behind `0x`.
        case integer
        /// Decimal, `nan`, `infinity`.
        case real
        /// ISO 8601 in UTC, with a fraction of a second if there is one.
        case date
        /// Base64.
        case data
    }

    /// The value that a text spells; nil if it spells none of that type.
    public static func value(of text: String, as type: ScalarType) -> PlistValue? {
        var text = text
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            switch type {
            case .integer:
                guard case .value(let integer) = XMLPlistScalars.integer(bytes) else { return nil }
                return .integer(integer)
            case .real:
                guard case .value(let real) = XMLPlistScalars.real(bytes) else { return nil }
                return .real(real)
            case .date:
                return DateSpelling.read(bytes).map { .date($0) }
            case .data:
                return Base64.decode(bytes).map { .data($0) }
            }
        }
    }
}
