import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// A staged file as the output of a capsule writer.
final class StagedMembers: MemberOutput {
    private let file: StagedFile

    init(_ file: StagedFile) { self.file = file }

    var path: HostPath { file.target }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) { try file.write(bytes, at: offset) }

    func finish(length: UInt64) throws(FileSystemError) { try file.truncate(to: length) }
}
