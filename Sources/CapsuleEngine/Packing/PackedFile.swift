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
    }

    /// Its place among the entries.
    let entry: Int
    let outcome: Outcome
    /// How many of the stretch's extents are its.
    let extents: Int
    var attributes: ExtendedAttributes.Reading?
}
