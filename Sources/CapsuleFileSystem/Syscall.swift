import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system calls, each with its error: the one place where errno is read.
///
/// A call that a signal interrupts is repeated, unless the signal was the user's wish to stop.
package enum Syscall {
    /// Runs `call` until it is not interrupted; −1 is a failure of `operation` on `path`.
    @inline(__always)
    static func repeating<Result: FixedWidthInteger>(
        _ operation: @autoclosure () -> String, _ path: @autoclosure () -> HostPath, _ call: () -> Result
    ) throws(FileSystemError) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let number = errno
            if number != EINTR || Interruption.noted != nil { throw FileSystemError(errno: number, operation(), path()) }
        }
    }

    /// Tells of a change before it is made. Only in a build for debugging does anything come of it: a test can let it fail, as
    /// `operation` on `path`, or end the process there.
    @inline(__always)
    static func announce(
        _ change: @autoclosure () -> DiskChange, _ operation: @autoclosure () -> String, _ path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        #if CAPSULE_FAULTS
        if let number = Faults.strike(change()) { throw FileSystemError(errno: number, operation(), path()) }
        #endif
    }

    /// Calls `body` with `bytes` as a C string; bytes with a NUL are refused, since the call would see a shorter path.
    @inline(__always)
    static func withCString<Result>(
        _ bytes: [UInt8], _ operation: @autoclosure () -> String, _ body: (UnsafePointer<CChar>) throws(FileSystemError) -> Result
    ) throws(FileSystemError) -> Result {
        if bytes.contains(0) { throw FileSystemError(errno: EINVAL, operation(), HostPath(bytes)) }
        // Typed errors don't pass through withUnsafeTemporaryAllocation: carry the outcome out.
        let outcome: Swift.Result<Result, FileSystemError> = withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: bytes.count + 1
        ) { buffer in
            _ = buffer.initialize(from: bytes)
            buffer.initializeElement(at: bytes.count, to: 0)
            do throws(FileSystemError) {
                guard let base = buffer.baseAddress else { throw FileSystemError(errno: ENOMEM, "use the path", HostPath(bytes)) }
                let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
                return .success(try body(text))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
