import CapsuleCore

/// The exclusive lock of a directory (flock(2)), held until this is dropped.
package final class DirectoryLock: Sendable {
    /// The directory whose open descriptor has the lock.
    package let directory: RootDirectory

    /// Waits for the lock.
    ///
    /// - Parameter timeout: seconds; 0 tries once.
    /// - Throws: with the code `locked` if somebody else had it all the time, `interrupted` if the user wished to stop.
    package init(_ directory: RootDirectory, timeout: Double) throws(FileSystemError) {
        self.directory = directory
        try LockWait(timeout: timeout).lock(directory.raw, path: directory.path)
    }

    deinit {
        // The descriptor may be used on by others.
        try? Syscall.unlock(directory.raw, path: directory.path)
    }
}
