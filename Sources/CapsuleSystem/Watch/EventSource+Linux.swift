#if canImport(Glibc)
import CSystem
import CapsuleCore

/// The events of inotify(7), with one watch for each directory.
final class EventSource {
    private let owned: OwnedDescriptor
    private let top: RootDirectory
    private var directories: [Int32: RelativePath] = [:]

    private static let header = MemoryLayout<inotify_event>.size
    private static let wanted = [
        IN_MODIFY, IN_ATTRIB, IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE_SELF, IN_MOVE_SELF, IN_DONT_FOLLOW,
    ].reduce(UInt32(IN_ONLYDIR)) { $0 | UInt32($1) }

    var descriptor: Int32 { owned.raw }

    init(_ top: RootDirectory) throws(CapsuleError) {
        self.top = top
        let raw = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard raw >= 0 else { throw Self.error(errno, top.path) }
        owned = OwnedDescriptor(adopting: raw)
        try watch(.root)
    }

    /// Watches a directory, and all below it. What is made after a directory is watched is an event of its own, so nothing is missed
    /// in between.
    private func watch(_ path: RelativePath) throws(CapsuleError) {
        var waiting = [path]
        while let path = waiting.popLast() {
            let place = top.hostPath(of: path)
            let watch = try Syscall.withCString(place.bytes, "watch") { inotify_add_watch(owned.raw, $0, Self.wanted) }
            if watch < 0 {
                // It is gone again, or nobody may list it. The listing of the container says the latter.
                if [ENOENT, ENOTDIR, EACCES, ELOOP].contains(errno), !path.isRoot { continue }
                throw Self.error(errno, place)
            }
            directories[watch] = path
            guard let names = try? top.subdirectory(path).names().directories else { continue }
            waiting += names.compactMap { try? path.appending($0) }
        }
    }

    private static func error(_ number: Int32, _ path: HostPath) -> CapsuleError {
        let hint: String? =
            switch number {
            case ENOSPC: "there are too many directories: raise the limit with 'sysctl fs.inotify.max_user_watches=1048576'"
            case EMFILE: "too many programs watch files: raise the limit with 'sysctl fs.inotify.max_user_instances=1024'"
            default: nil
            }
        return CapsuleError(errno: number, "watch", path).hinting(hint)
    }

    /// Adds the events in some bytes, each a header and a name padded with NUL.
    func read(_ bytes: UnsafeRawBufferPointer, into found: inout FileEvents) throws(CapsuleError) {
        var at = 0
        while at + Self.header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
            let start = at + Self.header
            at = min(start + Int(event.len), bytes.count)
            let name = Array(bytes[start..<at].prefix { $0 != 0 })
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                found.addAnything()
                try watch(.root)
                continue
            }
            guard let directory = directories[event.wd] else { continue }
            if event.mask & UInt32(IN_IGNORED) != 0 { directories[event.wd] = nil }
            if name.isEmpty {
                if !directory.isRoot { found.add(Array(directory.name)) }
                continue
            }
            found.add(name)
            guard event.mask & UInt32(IN_ISDIR) != 0, let path = try? directory.appending(name) else { continue }
            if event.mask & UInt32(IN_MOVED_FROM) != 0 { forget(path) }
            if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 { try watch(path) }
        }
    }

    /// Ends the watches of a directory that moved away. If it moved within the container, the next event watches it anew.
    private func forget(_ path: RelativePath) {
        for (watch, directory) in directories where directory.isAtOrBelow(path) {
            inotify_rm_watch(owned.raw, watch)
            directories[watch] = nil
        }
    }
}
#endif
