import CapsuleArchive

/// A stretch of a file's bytes, and where it is.
struct StreamPiece: Sendable {
    enum Source: Sendable {
        /// In the stretch of stream, from this place on.
        case stream(Int)
        /// Zeros that are nowhere.
        case zeros
        /// In a data member that the capsule has already.
        case stored(MemberReference, inner: UInt32)
    }

    let source: Source
    let length: UInt64

    init(_ source: Source, length: UInt64) {
        self.source = source
        self.length = length
    }

    init(_ extent: StoredExtent) {
        source = extent.member.map { .stored($0, inner: extent.inner) } ?? .zeros
        length = extent.length
    }

    /// The place in the stream; nil for what is not in it.
    var place: Int? {
        if case .stream(let place) = source { place } else { nil }
    }
}
