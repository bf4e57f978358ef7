import CapsuleCore

/// Guesses the format of a file from its first bytes, and reads its header.
enum ContentRound {
    /// - Parameter bytes: the number of bytes that the file has beyond the given ones, then these.
    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        guard let more = bytes.first else { return nil }
        let head = ContentHead(Array(bytes.dropFirst()), size: UInt64(bytes.count - 1) + UInt64(more & 1))
        if head.isPropertyList, head.isJSON { return "both a property list and JSON" }
        if ContentHead.isEncodedPlist(head.bytes), !head.isPropertyList { return "an encoded property list that is none" }
        if head.isWhole, head.isText, (try? TextContent(head.bytes)) == nil { return "a text that can't be read" }
        if let header = GzipHeader(head.bytes) {
            if header.byteCount > head.bytes.count { return "a header that is longer than the file" }
            if WrappedContent(head.bytes) == nil { return "a layer that is none" }
        }
        guard let image = ImageHeader(head.bytes) else { return nil }
        return (image.width == nil) == (image.height == nil) ? nil : "half a size"
    }
}
