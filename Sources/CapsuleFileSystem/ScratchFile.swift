package import CapsuleCore

/// An open file of a ``ScratchDirectory``, which may have lost its name since.
package final class ScratchFile: Sendable {
    private let descriptor: OwnedDescriptor
    /// Where it was made, for messages.
    package let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        self.descriptor = descriptor
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    /// Fills `buffer` as far as the file reaches; the count that was read.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    /// Where data begins at or after `offset`, beyond the file's length if nowhere; `offset` where the system can't tell.
    package func nextData(from offset: UInt64) -> UInt64 { Syscall.nextData(descriptor.raw, from: offset) ?? offset }

    /// Cuts the file, or grows it by zeros.
    package func setLength(_ length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// Its length in bytes.
    package func length() throws(FileSystemError) -> UInt64 {
        try Syscall.status(of: descriptor.raw, path: path).size
    }
}
