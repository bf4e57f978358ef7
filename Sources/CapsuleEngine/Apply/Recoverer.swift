public import CapsuleCore
import CapsuleFileSystem

/// Finishes or undoes what a killed apply or restore left of a container.
public struct Recoverer: Sendable {
    /// How long to wait for who is at work there.
    private let lockTimeout: Double
    /// Whether what killed commands left beside the path is deleted, where it is proven what it is.
    private let deletesLeftovers: Bool

    /// - Parameters:
    ///   - lockTimeout: seconds.
    ///   - deletesLeftovers: whether what killed commands left beside the path is deleted, where it is proven what it is.
    public init(lockTimeout: Double = 10, deletesLeftovers: Bool = false) {
        self.lockTimeout = lockTimeout
        self.deletesLeftovers = deletesLeftovers
    }

    /// Recovers what is at `path`, if it is a directory, and looks for what killed commands left beside it.
    ///
    /// Beside `$TMPDIR/capsule`, which need not be there, are the private copies that commands make.
    ///
    /// - Throws: ``CapsuleError`` where there is neither such a path nor anything left beside it, and where a
    ///   transaction can neither be finished nor undone; then nothing of it is deleted.
    public func recover(_ path: HostPath) throws(CapsuleError) -> RecoveryOutcome {
        let leftovers = Leftover.find(beside: path)
        let status = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.statusIfThere(path, following: true) }
        if status == nil, leftovers.isEmpty, !ScratchDirectory.isBeside(path) {
            throw CapsuleError(.notFound, "does not exist", path: path)
        }
        var outcome = status?.kind == .directory ? try recoverDirectory(path) : RecoveryOutcome(path: path)
        outcome.leftovers = leftovers.map { leftover in
            let state: RecoveryOutcome.Leftover.State =
                switch leftover.state {
                case .abandoned: deletesLeftovers && leftover.delete() ? .deleted : .abandoned
                case .inUse: .inUse
                case .unproven: .unproven
                }
            return RecoveryOutcome.Leftover(path: leftover.path, state: state)
        }
        return outcome
    }

    /// Recovers the directory at `path`, and those in it that can have a transaction of their own: a bundle's `AppData` and app
    /// groups, the `Data` of a Mac app's container.
    ///
    /// - Throws: ``CapsuleError`` also where a transaction can neither be finished nor undone; then nothing of it is deleted.
    private func recoverDirectory(_ path: HostPath) throws(CapsuleError) -> RecoveryOutcome {
        let top = try CapsuleError.wrapping { () throws(FileSystemError) in try RootDirectory(path) }
        var outcome = RecoveryOutcome(path: path)
        for root in try tops(top) {
            let isThere = try CapsuleError.wrapping { () throws(FileSystemError) in
                try root.statusIfThere(ContainerNames.transaction) != nil
            }
            // One that is at work is waited for; what it leaves needs nothing done.
            guard isThere else { continue }
            for recovery in try LockedTarget([root], timeout: lockTimeout).recovered {
                outcome.directories.append(RecoveryOutcome.Directory(recovery))
            }
        }
        return outcome
    }

    private func tops(_ top: RootDirectory) throws(CapsuleError) -> [RootDirectory] {
        let (directories, files) = try CapsuleError.wrapping { () throws(FileSystemError) in try top.names() }
        let (shape, _) = ContainerShape.judge(name: top.path.name, directories: directories, files: files)
        var tops = [top]
        let inside: [[UInt8]] =
            switch shape {
            case .bundle: [ContainerShape.appData, ContainerShape.appGroups]
            case .macContainer: [ContainerShape.macData]
            case .container, .directory: []
            }
        for name in inside where directories.contains(name) {
            let directory = try CapsuleError.wrapping { () throws(FileSystemError) in
                try top.subdirectoryOnDevice(named: name)
            }
            guard name == ContainerShape.appGroups else {
                tops.append(directory)
                continue
            }
            for group in try CapsuleError.wrapping({ () throws(FileSystemError) in try directory.names() }).directories.sorted(
                by: { $0.lexicographicallyPrecedes($1) })
            {
                tops.append(
                    try CapsuleError.wrapping { () throws(FileSystemError) in
                        try directory.subdirectoryOnDevice(named: group)
                    })
            }
        }
        return tops
    }
}

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
