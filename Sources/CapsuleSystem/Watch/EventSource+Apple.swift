#if canImport(Darwin)
import CSystem
import CapsuleCore

/// The events of FSEvents, which a thread of the system writes to a pipe.
final class EventSource {
    private let reading: OwnedDescriptor
    private let writing: OwnedDescriptor
    private let stream: OpaquePointer
    /// The beginning of a record that was not read completely.
    private var rest: [UInt8] = []

    private static let header = MemoryLayout<capsule_event>.size

    var descriptor: Int32 { reading.raw }

    init(_ top: RootDirectory) throws(CapsuleError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CapsuleError(errno: errno, "watch", top.path) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = OwnedDescriptor(adopting: ends[0])
        writing = OwnedDescriptor(adopting: ends[1])
        let stream = try Syscall.withCString(top.path.bytes, "watch") { capsule_events_start($0, ends[1]) }
        guard let stream else { throw CapsuleError("can't be watched: FSEvents refuses it", path: top.path) }
        self.stream = stream
    }

    deinit { capsule_events_stop(stream) }

    /// Adds the events in some bytes, each a header and a full path.
    func read(_ bytes: UnsafeRawBufferPointer, into found: inout FileEvents) throws(CapsuleError) {
        rest += bytes
        var at = 0
        while at + Self.header <= rest.count {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: capsule_event.self) }
            let end = at + Self.header + Int(event.length)
            guard end <= rest.count else { break }
            if event.flags & UInt32(CAPSULE_EVENTS_LOST) != 0 { found.addAnything() }
            found.add(HostPath(Array(rest[(at + Self.header)..<end])).name)
            at = end
        }
        rest.removeFirst(at)
    }
}
#endif
