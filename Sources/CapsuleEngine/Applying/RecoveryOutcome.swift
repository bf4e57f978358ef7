public import CapsuleCore

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

    /// What was to be recovered.
    public let path: HostPath
    /// The directories in which something was unfinished; none if there was nothing to recover.
    public internal(set) var directories: [Directory] = []

    init(path: HostPath) {
        self.path = path
    }
}
