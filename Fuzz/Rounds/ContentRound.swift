import CapsuleCore

/// Detects the kind of a file by its first bytes, and reads its header.
enum ContentRound {
    /// - Parameter bytes: the number of bytes that the file has beyond the given ones, then these.
    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        guard let more = bytes.first else { return nil }
        let head = Array(bytes.dropFirst())
        let kinds = ContentKind.candidates(head, size: UInt64(head.count) + UInt64(more & 1))
        guard kinds.last == .bytes, Set(kinds).count == kinds.count else { return "no order of kinds: \(kinds)" }
        guard ContentKind.shared(kinds, kinds) == kinds else { return "a file shares nothing with itself" }
        if let header = GzipHeader(head), header.byteCount > head.count { return "a header that is longer than the file" }
        if kinds.contains(.gzip) || kinds.contains(.zlib), WrappedContent(head) == nil { return "a layer that is none" }
        if kinds.contains(.image), ImageHeader(head) == nil { return "an image that is none" }
        guard let image = ImageHeader(head) else { return nil }
        return (image.width == nil) == (image.height == nil) ? nil : "half a size"
    }
}
