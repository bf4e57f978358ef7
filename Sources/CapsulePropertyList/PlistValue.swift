/// One value of a property list, the same whatever encoding it was read from.
///
/// Two values are equal when an encoding could not tell them apart: integer 1, real 1.0 and true are three values,
/// reals and dates are compared by bit pattern (so NaN equals itself and -0.0 differs from 0.0), and strings by their
/// UTF-8 bytes (so NFC and NFD spellings differ). The order of a dictionary's keys is kept but never compared.
///
/// Arrays, dictionaries, data and strings share their storage until they are changed. A binary property list may name
/// one object many times; equality, hashing and release take time in the number of distinct objects.
///
public enum PlistValue: Sendable {
    /// Text, compared by its exact code units.
    case string(PlistString)
    /// A whole number in the range of Int64 or UInt64.
    case integer(PlistInteger)
    /// A floating-point number, kept to the bit.
    case real(Double)
    /// True or false; never equal to 1 or 0.
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z, fractions and all.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A reference inside a keyed archive. XML spells it as the dictionary `{CF$UID: n}`.
    case uid(UInt64)
    /// JSON's null, which no other encoding has.
    case null
    /// Values in order.
    case array([PlistValue])
    /// Values by key; the order is kept but not compared.
    case dictionary(PlistDictionary)
}
