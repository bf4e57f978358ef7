/// What stands in front of a gzip member's data. (RFC 1952, section 2.3)
public struct GzipHeader: Hashable, Sendable {
    /// The name of the file that was compressed, in Latin-1; nil where none is told.
    public let name: [UInt8]?
    /// A comment, in Latin-1.
    public let comment: [UInt8]?
    /// The time of the file's last change, in seconds since 1970; nil where none is told.
    public let modified: UInt32?
    /// The number of bytes in front of the compressed data.
    public let byteCount: Int

    private static let fixedBytes = 10

    /// Reads the header of the first member; nil if there is none, or it is cut.
    public init?(_ head: [UInt8]) {
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
