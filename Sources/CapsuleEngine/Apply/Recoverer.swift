import CapsuleContainers
package import CapsuleCore
import CapsuleSystem
import CapsuleTransaction

/// Completes or undoes what a killed apply or restore left in a container.
package struct Recoverer: Sendable {
    /// The number of seconds to wait for a command that is running there.
    private let lockTimeout: Double
    /// True to delete the leftovers of killed commands beside the path, if it is proven what they are.
    private let deletesLeftovers: Bool

    package init(lockTimeout: Double = 10, deletesLeftovers: Bool = false) {
        self.lockTimeout = lockTimeout
        self.deletesLeftovers = deletesLeftovers
    }

    /// Recovers the directory at `path`, if there is one, and finds the leftovers of killed commands beside it. The leftovers
    /// beside `$TMPDIR/capsule`, which need not exist, are the private copies that commands make.
    /// - Throws: `CapsuleError` if there is neither such a path nor anything left beside it, or if a transaction can be neither
    ///   completed nor undone. Nothing of that transaction is deleted then.
    package func recover(_ path: HostPath) throws(CapsuleError) -> RecoveryOutcome {
        let leftovers = Leftover.find(beside: path)
        let status = try Syscall.statusIfThere(path, following: true)
        if status == nil, leftovers.isEmpty, !ScratchDirectory.isBeside(path) {
            throw CapsuleError(.notFound, "does not exist", path: path)
        }
        var outcome = status?.kind == .directory ? try recoverDirectory(path) : RecoveryOutcome()
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

    /// Recovers the directory at `path`, and the directories in it that can have a transaction of their own: a bundle's `AppData`
    /// and app groups, and the `Data` of a Mac app's container.
    /// - Throws: ``CapsuleError``, also if a transaction can be neither completed nor undone. Nothing of that transaction is
    ///   deleted then.
    private func recoverDirectory(_ path: HostPath) throws(CapsuleError) -> RecoveryOutcome {
        let top = try RootDirectory(path)
        var outcome = RecoveryOutcome()
        for root in try tops(top) {
            let isThere = try root.statusIfThere(ContainerNames.transaction) != nil
            // A running transaction is waited for. It leaves nothing to recover.
            guard isThere else { continue }
            for recovery in try LockedTarget([root], timeout: lockTimeout).recovered {
                outcome.directories.append(RecoveryOutcome.Directory(recovery))
            }
        }
        return outcome
    }

    private func tops(_ top: RootDirectory) throws(CapsuleError) -> [RootDirectory] {
        let (directories, files) = try top.names()
        let (shape, _) = ContainerShape.judge(name: top.path.name, directories: directories, files: files)
        var tops = [top]
        let inside: [[UInt8]] =
            switch shape {
            case .bundle: [ContainerShape.appData, ContainerShape.appGroups]
            case .macContainer: [ContainerShape.macData]
            case .container, .directory: []
            }
        for name in inside where directories.contains(name) {
            let directory = try top.subdirectoryOnDevice(named: name)
            guard name == ContainerShape.appGroups else {
                tops.append(directory)
                continue
            }
            for group in try directory.names().directories.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                tops.append(try directory.subdirectoryOnDevice(named: group))
            }
        }
        return tops
    }
}

package struct RecoveryOutcome: Sendable {
    /// A directory that had an unfinished transaction, and its state after the recovery.
    package struct Directory: Sendable {
        package enum Result: String, Sendable {
            /// The old tree, from before the transaction.
            case rolledBack
            /// The new tree: the transaction was completed.
            case finished
        }

        package let path: HostPath
        package let result: Result

        /// The path and what was done: `PATH: rolled back an unfinished transaction first`.
        package let sentence: String

        init(_ recovery: Recovery) {
            path = recovery.path
            sentence = recovery.sentence
            result =
                switch recovery.outcome {
                case .rolledBack: .rolledBack
                case .finished, .cleared: .finished
                }
        }
    }

    /// A temporary file or directory beside the path that was recovered.
    package struct Leftover: Sendable {
        package enum State: String, Sendable {
            /// Capsule made it for this user, and the command that made it was killed.
            case abandoned
            case deleted
            case inUse
            /// Its name is like that of a leftover, but nothing proves that it is one.
            case unproven
        }

        package let path: HostPath
        package let state: State
    }

    /// The directories that had an unfinished transaction; empty if there was nothing to recover.
    package internal(set) var directories: [Directory] = []
    /// The temporary files and directories beside the path, sorted by name.
    package internal(set) var leftovers: [Leftover] = []
}
