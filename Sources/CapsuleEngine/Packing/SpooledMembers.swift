import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// A spool file as the output of a capsule writer.
final class SpooledMembers: MemberOutput {
    private let file: SpoolFile

    init(_ file: SpoolFile) { self.file = file }

    var path: HostPath { .standardStream }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) { try file.write(bytes, at: offset) }

    func finish(length: UInt64) throws(FileSystemError) { try file.truncate(to: length) }
}
