import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// A stretch of a file's bytes within a stretch of stream.
struct StreamPiece: Sendable {
    /// Where it is in the stretch; nil for zeros that are nowhere.
    let place: Int?
    let length: UInt64
}
