import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// A stretch of a zip for one thread to make.
enum ZipJob: Sendable {
    /// Whole entries, by their numbers.
    case whole([Int])
    case piece(Piece)

    /// A part of a large file.
    struct Piece: Sendable {
        let number: Int
        /// The file's place in the stream's order.
        let position: Int
        let range: Range<UInt64>
        let method: ZipContent.Method
        let isFirst: Bool
        let isLast: Bool
    }
}
