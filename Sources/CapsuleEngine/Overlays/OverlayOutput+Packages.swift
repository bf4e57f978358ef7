import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

extension OverlayOutput {
    /// Writes an overlay with its bytes as an overlay capsule; one that carries none as a document alone.
    ///
    /// - Parameters:
    ///   - captured: the moment that the manifest has.
    ///   - jobs: how many threads compress.
    /// - Throws: where bytes turn out to be others than the records say, and for a capsule under the name of a document; then
    ///   nothing is written.
    func write(
        _ package: OverlayPackage, captured: Timestamp, jobs: Int, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        let layout = try OverlayCapsuleLayout(package)
        if layout.isEmpty { return try write(package.overlay) }
        try checkName()
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

    /// Fails with a usage error if the output has the name of a document, which a capsule is not.
    public func checkName() throws(CapsuleError) {
        let endings = [".json", ".plist"]
        let name = String(decoding: path.name, as: UTF8.self)
        guard let ending = endings.first(where: { name.lowercased().hasSuffix($0) }) else { return }
        throw CapsuleError(
            .usage, "an overlay with files is a capsule, and can't be named '*\(ending)'", path: path,
            hint: "name it '\(name.dropLast(ending.count)).capsule'")
    }
}
