public import CapsuleCore
import CapsuleFileSystem

/// Text files of our own making.
public enum TextFiles {
    /// One of them.
    public struct File: Sendable {
        /// The directory that it goes to, below that of all; empty for that itself.
        public let directory: String
        /// Its name.
        public let name: String
        /// What it holds.
        public let text: String

        /// A file of that name and text.
        public init(directory: String = "", name: String, text: String) {
            self.directory = directory
            self.name = name
            self.text = text
        }
    }

    /// Writes files into a directory and directories below it, which are made if they are missing. One that is there with the same
    /// text stays as it is.
    ///
    /// - Throws: with the code `exists` for a file that may not be replaced; nothing is written then.
    public static func write(
        _ files: [File], into directory: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        var made: [MadeDirectories] = []
        // The last one is taken away first: it may be in one before it.
        defer { while made.popLast() != nil {} }
        for name in Set(files.map(\.directory)).sorted() {
            let place = name.isEmpty ? directory : directory.appending(Array(name.utf8))
            made.append(try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(place) })
        }
        let wanted = files.map { file in
            let place = file.directory.isEmpty ? directory : directory.appending(Array(file.directory.utf8))
            return (path: place.appending(Array(file.name.utf8)), bytes: Array(file.text.utf8))
        }.filter { !holds($0.path, $0.bytes) }
        for file in wanted { try FileProbe.checkTarget(file.path, as: .file, replacing: replacing, flag: nil) }
        for file in wanted { try OutputFile.write(file.bytes, to: file.path, replacing: replacing) }
        for directories in made { directories.keep() }
    }

    /// Whether a plain file holds just these bytes.
    private static func holds(_ path: HostPath, _ bytes: [UInt8]) -> Bool {
        guard let status = try? Syscall.statusIfThere(path), status.kind == .file, status.size == UInt64(bytes.count),
            let file = try? EditedFile(path, limit: UInt64(bytes.count))
        else { return false }
        return file.bytes == bytes
    }
}
