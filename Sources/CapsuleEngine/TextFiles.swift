public import CapsuleCore
import CapsuleFileSystem

/// Text files of our own making.
public enum TextFiles {
    /// Writes files into a directory, which is made if it is missing. One that is there with the same text stays as it is.
    ///
    /// - Throws: with the code `exists` for a file that may not be replaced; nothing is written then.
    public static func write(
        _ files: [(name: String, text: String)], into directory: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        let made = try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(directory) }
        let wanted = files.map { (path: directory.appending(Array($0.name.utf8)), bytes: Array($0.text.utf8)) }
            .filter { !holds($0.path, $0.bytes) }
        for file in wanted { try FileProbe.checkTarget(file.path, as: .file, replacing: replacing, flag: nil) }
        for file in wanted { try OutputFile.write(file.bytes, to: file.path, replacing: replacing) }
        made.keep()
    }

    /// Whether a plain file holds just these bytes.
    private static func holds(_ path: HostPath, _ bytes: [UInt8]) -> Bool {
        guard let status = try? Syscall.statusIfThere(path), status.kind == .file, status.size == UInt64(bytes.count),
            let file = try? EditedFile(path, limit: UInt64(bytes.count))
        else { return false }
        return file.bytes == bytes
    }
}
