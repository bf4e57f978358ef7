import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// What a job made.
struct ZipStretch: Sendable {
    let job: ZipJob
    /// What the entries, or the piece, came to.
    var contents: [ZipContent] = []
    /// As they go into the zip.
    let bytes: ByteBuffer
    /// A piece as it is, for its file's digest.
    var raw: ByteBuffer?
}
