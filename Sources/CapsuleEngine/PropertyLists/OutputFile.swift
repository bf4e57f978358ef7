import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// Writes bytes as a file that appears whole or not at all, or to standard output.
enum OutputFile {
    /// For its owner alone.
    static let privateMode = FileMode(0o600)

    /// - Parameters:
    ///   - output: `-` is standard output.
    ///   - mode: nil for what the user's mask leaves.
    static func write(
        _ bytes: [UInt8], to output: HostPath, as kind: OutputKind = .file, replacing: Replacement, mode: FileMode? = nil
    ) throws(CapsuleError) {
        if output == .standardStream {
            let stream = StandardOutput()
            guard !stream.isTerminal || PlistFormat.sniff(bytes) != .binary else {
                throw CapsuleError(
                    "refusing to write a binary property list to a terminal", hint: "redirect it to a file or a pipe")
            }
            return try stream.writeResult(bytes)
        }
        let replaces = try FileProbe.checkTarget(output, as: kind, replacing: replacing)
        try CapsuleError.wrapping { () throws(FileSystemError) in
            let staged = try StagedFile(for: output)
            let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(FileSystemError) in try staged.write(bytes, at: 0) }
            }
            try written.get()
            try staged.commit(replacing: replaces, mode: mode)
        }
    }

    /// Makes a property list, and the directories that are missing around it; preferences are for nobody else.
    static func make(_ bytes: [UInt8], at path: HostPath) throws(CapsuleError) {
        let isPreference = Array(path.directory.bytes).suffix(Self.preferences.count).elementsEqual(Self.preferences)
        let made = try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(path.directory) }
        try write(bytes, to: path, replacing: .nothing, mode: isPreference ? privateMode : nil)
        made.keep()
    }

    private static let preferences = Array("Library/Preferences".utf8)

    /// Removes a file that was written; it need not be there.
    static func remove(_ path: HostPath) {
        try? Syscall.removeFile(path)
    }
}
