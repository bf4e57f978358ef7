import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// A stretch of the tar stream for one thread to make and compress.
enum PackJob: Sendable {
    /// Whole entries, one behind the other.
    ///
    /// - Parameter positions: of the entries in the stream's order.
    case group(positions: Range<Int>)
    /// A part of a large file's own stretch.
    case slice(LargeFile, number: Int)
    /// The two zero blocks that end an archive, and the member of zeros behind them.
    case end
}

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

/// What became of one file.
struct PackedFile: Sendable {
    enum Outcome: Sendable {
        /// Read whole and unchanged.
        case stored(ContentStatus, ContentDigest)
        /// Read whole; it changed meanwhile, as often as it was tried.
        case changing(ContentStatus, ContentDigest)
        /// Left out.
        case omitted(reason: String)
        /// It grew too much since the scan for the place it was given.
        case grown(UInt64)
        /// A part of a large file that goes on.
        case partial
    }

    /// Its place among the entries.
    let entry: Int
    let outcome: Outcome
    /// How many of the stretch's extents are its.
    let extents: Int
    var attributes: ExtendedAttributes.Reading?
}
