/// Content within a layer of deflate, known by its header. What is inside, who can inflate finds out.
public enum WrappedContent: Hashable, Sendable {
    /// A gzip member with its header. (RFC 1952)
    case gzip(GzipHeader)
    /// A zlib stream. (RFC 1950)
    case zlib

    /// A header's word in the names of handlers: `gzip` or `zlib`.
    public var word: String {
        switch self {
        case .gzip: "gzip"
        case .zlib: "zlib"
        }
    }

    /// Looks at the beginning of a file, which may yet hold something else: zlib's header is two bytes.
    public init?(_ head: [UInt8]) {
        if let header = GzipHeader(head) {
            self = .gzip(header)
        } else if Self.isZlib(head) {
            self = .zlib
        } else {
            return nil
        }
    }

    /// Deflate with a window of up to 32 KiB, no dictionary that one has to have, a check that fits, and a first block of a type
    /// that there is. (RFC 1950, section 2.2, and RFC 1951, section 3.2.3)
    private static func isZlib(_ head: [UInt8]) -> Bool {
        guard head.count >= 3 else { return false }
        let (method, flags) = (head[0], head[1])
        return method & 0x0F == 8 && method >> 4 <= 7 && flags & 0x20 == 0 && (UInt16(method) << 8 | UInt16(flags)) % 31 == 0
            && head[2] >> 1 & 3 != 3
    }
}
