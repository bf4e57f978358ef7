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
    /// All is written: cuts the file to `length`.
    func finish(length: UInt64) throws(FileSystemError)
}
