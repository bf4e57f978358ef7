public import CapsuleCore
import CapsuleFileSystem

/// Text files of our own making.
public enum TextFiles {
    /// Writes files into a directory, which is made if it is missing; each replaces one of its name, at once.
    public static func write(_ files: [(name: String, text: String)], into directory: HostPath) throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            let made = try MadeDirectories(directory)
            for file in files {
                let staged = try StagedFile(for: directory.appending(Array(file.name.utf8)))
                let outcome: Result<Void, FileSystemError> = Array(file.text.utf8).withUnsafeBytes { bytes in
                    Result { () throws(FileSystemError) in try staged.write(bytes, at: 0) }
                }
                try outcome.get()
                try staged.commit(replacing: true)
            }
            made.keep()
        }
    }
}
