import CapsuleCore
import CapsuleEngine
import CapsuleSystem

/// A private directory that contains the input as a file, for rounds that open it by path.
struct InputFile {
    let path: HostPath
    private let directory: ScratchDirectory

    /// - Returns: nil if it can't be created. This says nothing about the input.
    init?(_ bytes: [UInt8], named name: String) {
        guard let directory = try? ScratchDirectory(), let file = try? directory.createFile(Array(name.utf8)) else { return nil }
        self.directory = directory
        path = file.path
        let isWritten: Void? = bytes.withUnsafeBytes { bytes in try? file.write(bytes, at: 0) }
        if isWritten == nil { return nil }
    }

    /// Returns the path of another file in the directory.
    func beside(_ name: String) -> HostPath { directory.path.appending(Array(name.utf8)) }

    /// Deletes the directory.
    func remove() { directory.remove() }
}

extension CapsuleError {
    /// The problem with the error's own text; nil if there is none.
    var complaint: String? { message.isEmpty ? "an error that says nothing" : nil }
}
