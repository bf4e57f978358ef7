/// Content that is compressed with deflate, detected by its header. It must be inflated to detect what is inside.
package enum WrappedContent: Hashable, Sendable {
    case gzip(GzipHeader)
    case zlib

    /// Detects the header at the beginning of a file. The file may still contain something else, because zlib's header has only
    /// two bytes.
    package init?(_ head: [UInt8]) {
        if let header = GzipHeader(head) {
            self = .gzip(header)
        } else if Self.isZlib(head) {
            self = .zlib
        } else {
            return nil
        }
    }

    /// Returns true for deflate with a window of up to 32 KiB, without a preset dictionary, with a correct check value, and
    /// with a first block of an existing type. (RFC 1950, section 2.2, and RFC 1951, section 3.2.3)
    private static func isZlib(_ head: [UInt8]) -> Bool {
        guard head.count >= 3 else { return false }
        let (method, flags) = (head[0], head[1])
        return method & 0x0F == 8 && method >> 4 <= 7 && flags & 0x20 == 0 && (UInt16(method) << 8 | UInt16(flags)) % 31 == 0
            && head[2] >> 1 & 3 != 3
    }
}

/// The header before a gzip member's data. (RFC 1952, section 2.3)
package struct GzipHeader: Hashable, Sendable {
    /// The name of the compressed file in Latin-1, or nil if it is not given.
    package let name: [UInt8]?
    package let comment: [UInt8]?
    /// The modification time of the file in seconds since 1970, or nil if it is not given.
    package let modified: UInt32?
    package let byteCount: Int

    private static let fixedBytes = 10

    package init?(_ head: [UInt8]) {
        let fields = ByteFields(head)
        // The three upper flags are reserved.
        guard head.starts(with: [0x1F, 0x8B, 8]), head.count >= Self.fixedBytes, head[3] & 0xE0 == 0,
            let time = fields.little(4, at: 4)
        else { return nil }
        let flags = head[3]
        modified = time == 0 ? nil : UInt32(truncatingIfNeeded: time)
        var offset = Self.fixedBytes
        if flags & 4 != 0 {
            guard let extra = fields.little(2, at: offset) else { return nil }
            offset += 2 + Int(extra)
        }
        func string() -> [UInt8]? {
            guard let string = fields.string(at: offset) else { return nil }
            offset += string.count + 1
            return string
        }
        name = flags & 8 != 0 ? string() : nil
        if flags & 8 != 0, name == nil { return nil }
        comment = flags & 16 != 0 ? string() : nil
        if flags & 16 != 0, comment == nil { return nil }
        if flags & 2 != 0 { offset += 2 }
        guard offset <= head.count else { return nil }
        byteCount = offset
    }
}
