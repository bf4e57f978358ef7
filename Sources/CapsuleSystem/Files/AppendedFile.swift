import CSystem
package import CapsuleCore

/// A file that several programs add to, such as the summary of a step in CI.
package enum AppendedFile {
    /// Appends bytes, and creates the file if there is none. If that fails, the file keeps its old length.
    /// - Throws: `tooLarge` if the file would be longer than the limit.
    package static func append(_ bytes: [UInt8], to path: HostPath, limit: UInt64) throws(CapsuleError) {
        // O_NONBLOCK: a pipe of that name must not block before its kind is known.
        let file = try Syscall.open(path, flags: O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode: 0o666)
        let status = try Syscall.status(of: file.raw, path: path)
        guard status.kind == .file else { throw .notAFile(path) }
        guard status.size <= limit, UInt64(bytes.count) <= limit - status.size else {
            throw CapsuleError(
                "nothing was added: it would be longer than \(Quantity.counted(limit, "byte", "bytes"))", path: path)
        }
        do throws(CapsuleError) {
            try bytes.withRawBytes { (bytes) throws(CapsuleError) in try Syscall.write(file.raw, bytes, path: path) }
        } catch {
            try? Syscall.truncate(file.raw, to: status.size, path: path)
            throw error
        }
    }
}
