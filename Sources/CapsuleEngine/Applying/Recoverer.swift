public import CapsuleCore
import CapsuleFileSystem

/// Finishes or undoes what a killed apply or restore left of a container.
public struct Recoverer: Sendable {
    /// How long to wait for who is at work there.
    private let lockTimeout: Double

    /// - Parameter lockTimeout: seconds.
    public init(lockTimeout: Double = 10) {
        self.lockTimeout = lockTimeout
    }

    /// Recovers the directory at `path`, and those in it that can have a transaction of their own: a bundle's `AppData` and app
    /// groups, the `Data` of a Mac app's container.
    ///
    /// - Throws: ``CapsuleError`` also where a transaction can neither be finished nor undone; then nothing of it is deleted.
    public func recover(_ path: HostPath) throws(CapsuleError) -> RecoveryOutcome {
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
