import CapsuleCore
import CapsuleFileSystem

/// Writes bytes as a file that appears whole or not at all, or to standard output.
enum OutputFile {
    /// - Parameter output: `-` is standard output.
    static func write(_ bytes: [UInt8], to output: HostPath, replacing: Bool) throws(CapsuleError) {
        if output == .standardStream { return try StandardOutput().write(bytes) }
        try FileProbe.checkTarget(output, isDirectory: false, replacing: replacing)
        try CapsuleError.wrapping { () throws(FileSystemError) in
            let staged = try StagedFile(for: output)
            let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(FileSystemError) in try staged.write(bytes, at: 0) }
            }
            try written.get()
            try staged.commit(replacing: replacing)
        }
    }

    /// Removes a file that was written; it need not be there.
    static func remove(_ path: HostPath) {
        try? Syscall.removeFile(path)
    }
}
