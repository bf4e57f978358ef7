package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that was just made and is being filled.
package final class NewFile: Sendable {
    private let descriptor: OwnedDescriptor
    private let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        self.descriptor = descriptor
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    /// Makes the file as long as it is to be: what nobody wrote is a hole.
    package func setLength(_ length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// Gives the file what it had; times last, since all else changes them.
    ///
    /// - Parameter mode: nil if it has its mode already.
    /// - Returns: the attributes that could not be set.
    package func finish(mode: FileMode?, modified: Timestamp, attributes: [ExtendedAttribute]) throws(FileSystemError)
        -> [ExtendedAttribute]
    {
        let refused = try attributes.isEmpty ? [] : Self.set(attributes, on: descriptor.raw, path: path)
        if let mode { try Syscall.setMode(descriptor.raw, mode, path: path) }
        try Syscall.setTimes(descriptor.raw, modified, path: path)
        return refused
    }

    /// - Returns: the attributes that the file system refuses.
    static func set(
        _ attributes: [ExtendedAttribute], on descriptor: Int32, path: HostPath
    ) throws(FileSystemError) -> [ExtendedAttribute] {
        var refused: [ExtendedAttribute] = []
        for attribute in attributes where try !ExtendedAttributes.setIfTaken(attribute, on: descriptor, path: path) {
            refused.append(attribute)
        }
        return refused
    }
}
