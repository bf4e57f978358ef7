#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file descriptor with one owner; closed when it goes.
package struct OwnedDescriptor: ~Copyable {
    /// For system calls only; never keep it.
    package let raw: Int32

    init(adopting raw: Int32) {
        self.raw = raw
    }

    /// Gives the descriptor to a new owner, who closes it.
    consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // Linux frees the number even when close(2) fails; what matters for data is fsync, called where it matters.
        _ = closeDescriptor(raw)
    }
}

/// close(2) under a name that no member shadows.
private func closeDescriptor(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
