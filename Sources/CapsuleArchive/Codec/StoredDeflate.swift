/// Deflate's stored blocks (RFC 1951, section 3.2.4): for bytes that don't compress.
enum StoredDeflate {
    private static let blockLength = 65_535

    /// - Parameter isLast: whether the stream ends with them.
    static func append(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true, to buffer: ByteBuffer) {
        var at = 0
        repeat {
            let length = min(blockLength, bytes.count - at)
            buffer.append(UInt8(isLast && at + length == bytes.count ? 1 : 0))
            buffer.append(UInt16(length))
            buffer.append(~UInt16(length))
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[at..<at + length]))
            at += length
        } while at < bytes.count
    }
}
