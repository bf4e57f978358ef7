/// A header of 512 bytes, as far as it says what follows it.
struct TarBlock {
    let type: UInt8
    /// The length of an extended header's content, in bytes; nil for the header of the entry itself.
    let body: Int?

    /// nil where no whole header follows.
    init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard start <= bytes.count, bytes.count - start >= TarHeader.blockLength else { return nil }
        type = bytes[start + 156]
        switch type {
        // Extended headers of POSIX, GNU and Solaris; the header of a volume has no content.
        case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"), UInt8(ascii: "A"):
            body = Self.number(bytes[start + 124..<start + 136])
        case UInt8(ascii: "V"): body = 0
        default: body = nil
        }
    }

    /// A field in octal digits, or in base 256 where its first bit is set; a number that fits no memory becomes Int.max / 2.
    private static func number(_ field: Slice<UnsafeRawBufferPointer>) -> Int {
        let isBinary = (field.first ?? 0) & 0x80 != 0
        var value = isBinary ? Int((field.first ?? 0) & 0x3F) : 0
        for byte in isBinary ? field.dropFirst() : field.drop(while: { $0 == 0x20 }) {
            if !isBinary, byte < 0x30 || byte > 0x37 { break }
            let (product, overflow) = value.multipliedReportingOverflow(by: isBinary ? 256 : 8)
            if overflow || product > Int.max / 2 { return Int.max / 2 }
            value = product + (isBinary ? Int(byte) : Int(byte) - 0x30)
        }
        return min(value, Int.max / 2)
    }
}
