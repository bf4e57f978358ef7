public import CapsuleCore
import CapsuleFileSystem

/// What a recovery came to.
public struct RecoveryOutcome: Sendable {
    /// What became of a directory in which something was unfinished.
    public struct Directory: Sendable {
        /// Which tree it has now.
        public enum Result: String, Sendable {
            /// The one from before.
            case rolledBack
            /// The one that it was to have.
            case finished
        }

        /// The directory.
        public let path: HostPath
        /// Which tree it has now.
        public let result: Result

        init(_ recovery: Recovery) {
            path = recovery.path
            result =
                switch recovery.outcome {
                case .rolledBack: .rolledBack
                case .finished, .cleared: .finished
                }
        }
    }

    /// A temporary file or directory beside the path that was to be recovered.
    public struct Leftover: Sendable {
        /// What is known of it.
        public enum State: String, Sendable {
            /// Capsule made it for this user, and the command that did so was killed.
            case abandoned
            /// It was that, and is deleted now.
            case deleted
            /// A command is at work on it.
            case inUse
            /// Its name looks like it, and nothing proves it.
            case unproven
        }

        /// The file or directory.
        public let path: HostPath
        /// What is known of it.
        public let state: State
    }

    /// What was to be recovered.
    public let path: HostPath
    /// The directories in which something was unfinished; none if there was nothing to recover.
    public internal(set) var directories: [Directory] = []
    /// Temporary files and directories beside ``path``, by name.
    public internal(set) var leftovers: [Leftover] = []

    init(path: HostPath) {
        self.path = path
    }
}
