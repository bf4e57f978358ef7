import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// What a job made.
struct PackedStretch: Sendable {
    let job: PackJob
    var members: [EncodedMember] = []
    /// The members' bytes.
    let buffer: ByteBuffer
    var files: [PackedFile] = []
    /// The files' extents, one file's behind the other's, in terms of ``members`` from 1 on.
    var extents: [Extent] = []
}
