import CapsuleArchive

/// A stretch of a file and where its bytes are.
struct PlacedExtent: Sendable {
    /// Where in the file it begins.
    let offset: UInt64
    let extent: Extent
    /// nil for zeros.
    let member: MemberReference?

    var range: Range<UInt64> { offset..<offset + extent.length }
}
