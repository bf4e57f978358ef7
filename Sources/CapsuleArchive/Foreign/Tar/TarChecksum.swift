/// The sum in a tar header, which all tars have, those of before POSIX among them (POSIX.1-2017, pax, "ustar Interchange Format").
package enum TarChecksum {
    private static let field = 148..<156

    /// Whether a file's first block is a tar header with a correct checksum. Some old tars sum the bytes as signed numbers.
    package static func isRight(in start: [UInt8]) -> Bool {
        guard start.count >= 512 else { return false }
        let digits = start[field].drop { $0 == UInt8(ascii: " ") }.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        guard !digits.isEmpty, let noted = Int(String(decoding: digits, as: UTF8.self), radix: 8) else { return false }
        var (unsigned, signed) = (0, 0)
        for (place, byte) in start.prefix(512).enumerated() {
            let byte = field.contains(place) ? UInt8(ascii: " ") : byte
            unsigned += Int(byte)
            signed += Int(Int8(bitPattern: byte))
        }
        return noted == unsigned || noted == signed
    }
}
