package import CapsuleCore
package import CapsuleFileSystem
import CapsuleHashing
import CapsulePropertyList

/// Where a ``CapsuleWriter`` puts its bytes.
package protocol MemberOutput: AnyObject {
    /// For messages.
    var path: HostPath { get }
    /// Writes bytes at a place; places grow, but for a rewind.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError)
    /// Makes what was written last, before more is written that relies on it.
    func synchronize() throws(FileSystemError)
    /// Takes back what was written from `offset` on; the next write begins there.
    func rewind(to offset: UInt64) throws(FileSystemError)
    /// All is written: cuts the file to `length`.
    func finish(length: UInt64) throws(FileSystemError)
}

/// Of a file that nobody sees before it is whole: it is made to last once, when it gets its name.
extension MemberOutput {
    package func synchronize() throws(FileSystemError) {}
    package func rewind(to offset: UInt64) throws(FileSystemError) {}
}
