/// Where new text goes in a document, and what it has to look like there.
struct TextPlace {
    /// The blank that the line begins with on which the new text begins.
    var indentation: [UInt8]
    /// What one level more adds to it.
    var unit: [UInt8]
    /// The document's line end.
    var newline: [UInt8]
    /// True if everything stays on one line.
    var isInline: Bool
    /// How many containers are around it.
    var depth: Int
    /// Bounds the depth and the size.
    var limits: PlistLimits
    /// How many bytes have been written that the size counts too.
    var precedingBytes: Int
}
