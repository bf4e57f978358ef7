/// The forms of foreign archives that are read; the raw value is what a manifest calls them.
package enum ForeignForm: String, Hashable, Sendable {
    case tar
    case gzip = "tar.gz"
    case zstd = "tar.zst"
    case xz = "tar.xz"
    case bzip2 = "tar.bz2"
    case zip

    /// The form of a file that begins so: whatever begins as none of the others can only be a plain tar.
    init(startingWith bytes: [UInt8]) {
        func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
        if begins([0x1F, 0x8B]) {
            self = .gzip
        } else if begins([0x28, 0xB5, 0x2F, 0xFD])
            || (bytes.count >= 4 && bytes[0] & 0xF0 == 0x50 && bytes[1...3] == [0x2A, 0x4D, 0x18])
        {
            self = .zstd
        } else if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
            self = .xz
        } else if begins(Array("BZh".utf8)) {
            self = .bzip2
        } else if begins([0x50, 0x4B, 0x03, 0x04]) || begins([0x50, 0x4B, 0x05, 0x06]) {
            self = .zip
        } else {
            self = .tar
        }
    }

    /// Whether a first block is one of a tar's: a header with the checksum of its bytes, or zeros.
    static func isTar(startingWith block: [UInt8]) -> Bool {
        guard block.count == TarHeader.blockLength else { return false }
        let field = 148..<156
        // Taken with spaces in its own place (POSIX.1-1988, section 10.1.1).
        let sum = block.indices.reduce(0) { $0 + (field.contains($1) ? 0x20 : Int(block[$1])) }
        let digits = block[field].drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
        let stated = digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
        return (!digits.isEmpty && stated == sum) || block.allSatisfy { $0 == 0 }
    }
}
