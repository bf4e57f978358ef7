package import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Writes one file's bytes to standard output.
package struct FilePrinter: Sendable {
    private let container: Container

    package init(_ container: Container) {
        self.container = container
    }

    /// Prints the file at a path in the tree, or else in the wrapper; a name that only one file has is enough. Only the part of a capsule's index that has the file is
    /// read. The bytes are compared with the digest while they are printed. A damaged file that is one member is not printed at
    /// all.
    /// - Parameters:
    ///   - refusingBinary: true to throw an error for bytes that are not text, before anything is written. A text is escaped, so
    ///     that nothing in it controls the terminal.
    /// - Returns: true if the file is a database whose log was checkpointed for this. Without the log, it is not what the app
    ///   last wrote.
    package func print(_ path: [UInt8], to output: StandardStream, refusingBinary: Bool) throws(CapsuleError) -> Bool {
        let found = try FoundFile(path, in: container, takesName: true)
        if refusingBinary { try refuseBinary(found, path) }
        let checkpointed = try found.checkpointed()
        try print(checkpointed ?? found, path, to: output, escaping: refusingBinary)
        return checkpointed != nil
    }

    private func print(
        _ found: FoundFile, _ path: [UInt8], to output: StandardStream, escaping: Bool
    ) throws(CapsuleError) {
        var hasher = SHA256Hasher()
        var text = escaping ? TerminalText(keepsColors: false) : nil
        var isChecked = !found.isDigested
        try found.forEachPiece { (_, length, bytes) throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            guard let bytes else {
                try hasher.updateZeros(length)
                if let shown = text?.finish() { try output.write(shown) }
                try Self.writeZeros(length, to: output)
                return
            }
            hasher.update(bytes)
            if !isChecked, length == found.entry.size {
                guard hasher.finish() == found.entry.digest else { throw CapsuleError.wrongDigest(at: path) }
                isChecked = true
            }
            if let shown = text?.sanitize(bytes) { try output.write(shown) } else { try output.write(bytes) }
        }
        if let shown = text?.finish() { try output.write(shown) }
        if !isChecked, hasher.finish() != found.entry.digest { throw .wrongDigest(at: path) }
    }

    /// Throws an error for a file that is not text. Text is UTF-8 and has no NUL, which is checked in the first bytes.
    private func refuseBinary(_ found: FoundFile, _ path: [UInt8]) throws(CapsuleError) {
        let length = min(found.entry.size, UInt64(Self.probedLength))
        let start = try found.head(Self.probedLength)
        let isCut = length < found.entry.size
        // The cut may have split a character. Text is also valid without its last one to three bytes then.
        let isText = (0...(isCut ? 3 : 0)).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
        guard isText, !start.contains(0) else {
            throw CapsuleError(
                "refusing to write binary data to a terminal", path: HostPath(path), hint: "redirect it to a file or a pipe")
        }
    }

    private static let probedLength = 65_536
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    private static func writeZeros(_ length: UInt64, to output: StandardStream) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            let count = Int(min(rest, UInt64(zeros.count)))
            try output.write(Array(zeros.prefix(count)))
            rest -= UInt64(count)
        }
    }
}
