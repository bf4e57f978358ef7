import CapsuleCore

/// A part of a container's files for one thread to read.
enum ReadJob<Large: Sendable>: Sendable {
    /// Whole files; positions in the planner's list.
    case files(positions: Range<Int>)
    /// A stretch of a large file.
    case stretch(Large, number: Int, range: Range<UInt64>, isLast: Bool)
}
