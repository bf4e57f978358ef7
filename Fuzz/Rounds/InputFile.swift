import CapsuleCore
import CapsuleEngine
import CapsuleSystem

/// A private directory with the input as a file in it, for what is opened by its path.
struct InputFile {
    let path: HostPath
    private let directory: ScratchDirectory

    /// - Returns: nil if it can't be made, which says nothing about the input.
    init?(_ bytes: [UInt8], named name: String) {
        guard let directory = try? ScratchDirectory(), let file = try? directory.createFile(Array(name.utf8)) else { return nil }
        self.directory = directory
        path = file.path
        let isWritten: Void? = bytes.withUnsafeBytes { bytes in try? file.write(bytes, at: 0) }
        if isWritten == nil { return nil }
    }

    /// A file beside it.
    func beside(_ name: String) -> HostPath { directory.path.appending(Array(name.utf8)) }

    /// Deletes the directory.
    func remove() { directory.remove() }
}

extension CapsuleError {
    /// What is wrong with the error's own text; nil if nothing is.
    var complaint: String? { message.isEmpty ? "an error that says nothing" : nil }
}
