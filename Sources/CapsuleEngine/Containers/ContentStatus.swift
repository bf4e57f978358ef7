import CapsuleCore
import CapsuleFileSystem

/// A file's facts at one moment.
struct ContentStatus: Hashable, Sendable {
    let size: UInt64
    let mode: FileMode
    let modified: Timestamp
    /// Tells two states of a live file apart; nil for content that can't change.
    let live: FileStatus?

    /// Whether what was read between two looks is one state.
    func isSameState(as other: ContentStatus) -> Bool {
        guard let live, let others = other.live else { return size == other.size }
        return live.isSameState(as: others)
    }
}
