import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

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

        /// Of a file that was read whole.
        var content: (digest: ContentDigest, size: UInt64)? {
            switch self {
            case .stored(let status, let digest), .changing(let status, let digest): (digest, status.size)
            case .omitted, .grown, .partial: nil
            }
        }

        /// Of a file that was read whole.
        var digest: ContentDigest? { content?.digest }
    }

    /// Its place among the entries.
    let entry: Int
    let outcome: Outcome
    /// How many of the stretch's extents are its.
    var extents: Int
    var attributes: ExtendedAttributes.Reading?
    /// Whether an earlier file of the same version has the same content: the extents are that one's.
    var isDuplicate = false
}
