/// The size of a binary property list that will be written, and the widths of its references and offsets.
///
/// The widths are those that CoreFoundation chooses and requires: a reference must be able to hold the number of objects, and an
/// offset the position of the offset table. (CoreFoundation CFBinaryPList.c)
struct BinaryPlistLayout {
    let referenceBytes: Int
    let offsetBytes: Int
    let byteCount: Int
    let objectBytes: Int

    init(objects: Int, bytes: Int, references: Int, limits: PlistLimits) throws(PlistError) {
        referenceBytes = BinaryMarker.width(of: UInt64(objects))
        objectBytes = bytes + references * referenceBytes
        let table = BinaryPlistTrailer.headerBytes + objectBytes
        offsetBytes = BinaryMarker.width(of: UInt64(table))
        byteCount = table + objects * offsetBytes + BinaryPlistTrailer.byteCount
        guard byteCount <= limits.outputBytes else { throw Self.sizeFailure(limits) }
    }

    static func sizeFailure(_ limits: PlistLimits) -> PlistError {
        PlistError(.limitExceeded, "the binary property list would be larger than \(limits.outputBytes) bytes", pointer: "")
    }
}

/// The last 32 bytes of a binary property list, which locate its objects.
/// 5 bytes unused · sort version u8 · bytes of an offset u8 · bytes of a reference u8 · objects u64 · root object u64 · offset of
/// the offset table u64; big-endian. (CoreFoundation CFBinaryPList.c, CFBinaryPlistTrailer)
struct BinaryPlistTrailer {
    static let byteCount = 32
    static let headerBytes = 8

    let offsetBytes: Int
    let referenceBytes: Int
    let objects: Int
    let root: Int
    let table: Int

    init(_ bytes: UnsafeRawBufferPointer, limits: PlistLimits) throws(PlistError) {
        let start = bytes.count - Self.byteCount
        guard bytes.starts(with: "bplist00".utf8) else {
            throw PlistError(
                .unsupported, "an unsupported version of the binary property list format", at: .binary(offset: 0, object: nil),
                hint: "only bplist00 is supported")
        }
        guard start > Self.headerBytes else {
            throw PlistError(.damaged, "the binary property list is truncated", at: .binary(offset: bytes.count, object: nil))
        }
        offsetBytes = Int(bytes[start + 6])
        referenceBytes = Int(bytes[start + 7])
        guard (1...8).contains(offsetBytes) else { throw Self.damage("offset size", start + 6) }
        guard (1...8).contains(referenceBytes) else { throw Self.damage("reference size", start + 7) }
        guard let objects = bytes.bigEndian(at: start + 8, bytes: 8), objects > 0 else {
            throw Self.damage("object count", start + 8)
        }
        guard let root = bytes.bigEndian(at: start + 16, bytes: 8), root < objects else {
            throw Self.damage("root object", start + 16)
        }
        guard let table = bytes.bigEndian(at: start + 24, bytes: 8), table > Self.headerBytes, table <= start else {
            throw Self.damage("offset table position", start + 24)
        }
        let size = objects.multipliedReportingOverflow(by: offsetBytes)
        guard !size.overflow, size.partialValue <= start - table else { throw Self.damage("object count", start + 8) }
        guard objects <= limits.binaryObjects else {
            throw PlistError(
                .limitExceeded, "the property list has more than \(limits.binaryObjects) objects",
                at: .binary(offset: start + 8, object: nil))
        }
        self.objects = objects
        self.root = root
        self.table = table
    }

    private static func damage(_ field: String, _ offset: Int) -> PlistError {
        PlistError(.damaged, "the trailer's \(field) is invalid", at: .binary(offset: offset, object: nil))
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a big-endian number of 1 to 8 bytes, which must be inside the buffer, or nil if it exceeds `Int.max`.
    func bigEndian(at offset: Int, bytes: Int) -> Int? {
        Int(exactly: bigEndianBits(at: offset, bytes: bytes))
    }

    /// Returns a big-endian number of up to 8 bytes, which must be inside the buffer.
    func bigEndianBits(at offset: Int, bytes: Int) -> UInt64 {
        // One load suffices, because the trailer follows all but the last numbers of a document.
        if offset >= 0, offset <= count - 8 {
            return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) >> UInt64(64 - 8 * bytes)
        }
        var bits: UInt64 = 0
        for place in offset..<offset + bytes { bits = bits << 8 | UInt64(self[place]) }
        return bits
    }
}

/// The first byte of an object in a binary property list: a type in the high half and, for most types, a size or a count in the low
/// half. (CoreFoundation CFBinaryPList.c)
enum BinaryMarker {
    static let `false`: UInt8 = 0x08
    static let `true`: UInt8 = 0x09
    /// An integer; the low half is the binary logarithm of the number of bytes.
    static let integer: UInt8 = 0x10
    /// A real with eight bytes.
    static let real: UInt8 = 0x23
    static let date: UInt8 = 0x33
    static let data: UInt8 = 0x40
    static let ascii: UInt8 = 0x50
    static let utf16: UInt8 = 0x60
    /// A UID; the low half is the number of bytes minus one.
    static let uid: UInt8 = 0x80
    static let array: UInt8 = 0xA0
    static let dictionary: UInt8 = 0xD0

    /// The first count that doesn't fit into the marker, and follows it as an integer object.
    static let largeCount = 15

    static func headBytes(count: Int) -> Int {
        count < largeCount ? 1 : 2 + width(of: UInt64(count))
    }

    /// Returns the number of bytes of a number as chosen by CoreFoundation: 1, 2, 4 or 8.
    static func width(of number: UInt64) -> Int {
        switch number {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
