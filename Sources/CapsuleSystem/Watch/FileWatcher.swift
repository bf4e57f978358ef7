import CSystem
package import CapsuleCore

/// Reports what changes below a directory: inotify(7) on Linux, FSEvents on Apple systems. The system reports a change after it was
/// made. Links are not followed.
package final class FileWatcher {
    private let top: RootDirectory
    private let events: EventSource
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    /// Starts to watch a directory and everything below it.
    /// - Throws: also if the system watches no more directories for this user.
    package init(_ path: HostPath) throws(CapsuleError) {
        top = try RootDirectory(try RealPath.resolve(path) ?? path)
        events = try EventSource(top)
    }

    /// A program that writes without a pause must not keep the caller from its work.
    private static let mostReads = 64

    deinit { buffer.deallocate() }

    /// Waits for changes, and returns those that the system has reported so far.
    /// - Parameter milliseconds: the longest wait. A request to stop ends it, too.
    /// - Throws: `notFound` if the directory was moved or deleted.
    package func events(within milliseconds: Int) throws(CapsuleError) -> FileEvents {
        var found = FileEvents()
        var reads = 0
        var wait = Int32(clamping: milliseconds)
        while true {
            try Interruption.check()
            var ready = pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&ready, 1, wait)
            if count < 0, errno != EINTR { throw CapsuleError(errno: errno, "watch", top.path) }
            guard count > 0 else { break }
            let length = try Syscall.readSome(events.descriptor, into: buffer, path: top.path)
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<length])
            try events.read(bytes, into: &found)
            // The rest of what is there is read without a wait.
            wait = 0
            reads += 1
            if reads == Self.mostReads { break }
        }
        try checkTop()
        return found
    }

    /// Linux reports the end of a directory only when nobody has it open.
    private func checkTop() throws(CapsuleError) {
        let own = try top.status()
        guard let status = try Syscall.statusIfThere(top.path), status.isSameFile(as: own) else {
            throw CapsuleError(.notFound, "was deleted or moved while it was watched", path: top.path)
        }
    }
}
