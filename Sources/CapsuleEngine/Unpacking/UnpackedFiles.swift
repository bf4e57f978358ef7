import CapsuleCore
import CapsuleFileSystem

/// What became of a job's files.
struct UnpackedFiles: Sendable {
    /// Whole files that were written.
    var files: UInt64 = 0
    var bytes: UInt64 = 0
    /// The large file whose last stretch was written.
    var completed: LargeOutput?
    var refusedAttributes: [(path: RelativePath, name: [UInt8])] = []
}
