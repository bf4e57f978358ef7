/// One value of a property list, the same whatever encoding it was read from.
///
/// Two values are equal when an encoding could not tell them apart: integer 1, real 1.0 and true are three values,
/// reals and dates are compared by bit pattern (so NaN equals itself and -0.0 differs from 0.0), and strings by their
/// UTF-8 bytes (so NFC and NFD spellings differ). The order of a dictionary's keys is kept but never compared.
///
/// Arrays, dictionaries, data and strings share their storage until they are changed. A binary property list may name
/// one object many times; equality, hashing and release take time in the number of distinct objects.
/// (design: plist.md)
public enum PlistValue: Sendable {
    case string(PlistString)
    case integer(PlistInteger)
    case real(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z, fractions and all.
    case date(Double)
    case data([UInt8])
    /// A reference inside a keyed archive. XML spells it as the dictionary `{CF$UID: n}`.
    case uid(UInt64)
    case array([PlistValue])
    case dictionary(PlistDictionary)
}
