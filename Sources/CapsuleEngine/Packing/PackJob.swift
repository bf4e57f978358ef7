import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// A stretch of the tar stream for one thread to make and compress.
enum PackJob: Sendable {
    /// Whole entries, one behind the other.
    ///
    /// - Parameters:
    ///   - positions: of the entries in the stream's order.
    ///   - turn: how many groups were made before.
    case group(positions: Range<Int>, turn: Int)
    /// A part of a large file's own stretch.
    case slice(LargeFile, number: Int)
    /// The two zero blocks that end an archive, and the member of zeros behind them.
    case end
}
