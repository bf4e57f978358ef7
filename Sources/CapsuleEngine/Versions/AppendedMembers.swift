import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// The end of a locked capsule as the output of a writer: what is there stays as it is, and what was written is taken back
/// unless the version becomes whole.
final class AppendedMembers: MemberOutput {
    private let file: LockedFile
    /// Where the last whole version ends.
    private let start: UInt64
    private var hasWritten = false
    private var isFinished = false

    init(_ file: LockedFile, behind footer: Footer) {
        self.file = file
        start = footer.end
    }

    /// After a failure: makes the file what it was. Where that fails too, a torn tail stays, which every reader knows.
    func rollBack() {
        if hasWritten, !isFinished { try? file.truncate(to: start) }
    }

    var path: HostPath { file.path }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        if !hasWritten {
            hasWritten = true
            // The torn tail of an append that did not finish must not stand behind what is shorter.
            if try file.status().size > start { try file.truncate(to: start) }
        }
        try file.write(bytes, at: offset)
    }

    func rewind(to offset: UInt64) throws(FileSystemError) {
        // Left behind it would be no torn tail, should we be stopped: members don't end where it begins.
        if hasWritten { try file.truncate(to: offset) }
    }

    func synchronize() throws(FileSystemError) { try file.sync() }

    func finish(length: UInt64) throws(FileSystemError) {
        try file.truncate(to: length)
        try file.sync()
        isFinished = true
    }
}
