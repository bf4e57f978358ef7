import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

extension OverlayOutput {
    /// Writes an overlay with its bytes as an overlay capsule; one that carries none as a document alone.
    ///
    /// - Parameters:
    ///   - captured: the moment that the manifest has.
    ///   - jobs: how many threads compress.
    /// - Throws: where bytes turn out to be others than the records say; then nothing is written.
    func write(
        _ package: OverlayPackage, captured: Timestamp, jobs: Int, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        let layout = try OverlayCapsuleLayout(package)
        if layout.isEmpty { return try write(package.overlay) }
        let writer = OverlayCapsuleWriter(captured: captured, jobs: jobs, progress: progress)
        if path == .standardStream {
            let stream = StandardOutput()
            guard !stream.isTerminal else {
                throw CapsuleError(
                    "the overlay contains files: refusing to write binary data to a terminal",
                    hint: "redirect it to a file or a pipe")
            }
            let spool = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
            let length = try writer.write(package, layout, to: SpooledMembers(spool))
            return try stream.copy(spool, length: length)
        }
        CreationMask.prepare()
        let isReplacing = try FileProbe.checkTarget(path, as: .file, replacing: replaces)
        let staged = try CapsuleError.wrapping { () throws(FileSystemError) in try StagedFile(for: path) }
        _ = try writer.write(package, layout, to: StagedMembers(staged))
        try CapsuleError.wrapping { () throws(FileSystemError) in try staged.commit(replacing: isReplacing, mode: mode) }
    }
}
