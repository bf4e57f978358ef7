/// The first byte of an object in a binary property list: a type in the high half and, of most types, a size or a count in
/// the low one. (CoreFoundation CFBinaryPList.c)
enum BinaryMarker {
    static let `false`: UInt8 = 0x08
    static let `true`: UInt8 = 0x09
    /// With the logarithm of the number of bytes.
    static let integer: UInt8 = 0x10
    /// Of eight bytes.
    static let real: UInt8 = 0x23
    static let date: UInt8 = 0x33
    static let data: UInt8 = 0x40
    static let ascii: UInt8 = 0x50
    static let utf16: UInt8 = 0x60
    /// With the number of bytes less one.
    static let uid: UInt8 = 0x80
    static let array: UInt8 = 0xA0
    static let dictionary: UInt8 = 0xD0

    /// A count from this on follows the marker as an integer object of its own.
    static let largeCount = 15

    /// The bytes of a marker with its count.
    static func headBytes(count: Int) -> Int {
        count < largeCount ? 1 : 2 + width(of: UInt64(count))
    }

    /// The bytes of a number, as CoreFoundation chooses them: 1, 2, 4 or 8.
    static func width(of number: UInt64) -> Int {
        switch number {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
