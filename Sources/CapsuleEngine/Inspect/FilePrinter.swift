import CapsuleCore
import CapsuleHashing

/// Writes one file's bytes to standard output.
public struct FilePrinter: Sendable {
    private let container: Container

    /// Nothing is opened yet.
    public init(_ container: Container) {
        self.container = container
    }

    /// Prints the file at a path of the tree, else of the wrapper.
    ///
    /// A capsule's index is read only where the file is. The bytes are compared with the digest as they go: a file of one
    /// member is not printed at all if it is damaged.
    ///
    /// - Parameters:
    ///   - path: as the listing has it.
    ///   - output: where the bytes go.
    ///   - refusingBinary: whether bytes that are no text end in an error, before anything is written. A text is written so that
    ///     nothing in it does anything to a terminal.
    /// - Returns: whether it is a database whose log was folded in: without it, it is not what the app last wrote.
    public func print(_ path: [UInt8], to output: StandardOutput, refusingBinary: Bool) throws(CapsuleError) -> Bool {
        let found = try FoundFile(path, in: container)
        if refusingBinary { try refuseBinary(found, path) }
        let folded = try found.folded()
        try print(folded ?? found, path, to: output, escaping: refusingBinary)
        return folded != nil
    }

    private func print(
        _ found: FoundFile, _ path: [UInt8], to output: StandardOutput, escaping: Bool
    ) throws(CapsuleError) {
        let reader = found.content.makeReader()
        var hasher = SHA256Hasher()
        var text = escaping ? TerminalText(keepsColors: false) : nil
        var isChecked = !found.isDigested
        try reader.forEachPiece(of: found.number, in: 0..<found.entry.size) { (_, length, bytes) throws(CapsuleError) in
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
            if let shown = text?.take(bytes) { try output.write(shown) } else { try output.write(bytes) }
        }
        if let shown = text?.finish() { try output.write(shown) }
        if !isChecked, hasher.finish() != found.entry.digest { throw .wrongDigest(at: path) }
    }

    /// Text has no NUL in its first bytes, and is UTF-8.
    private func refuseBinary(_ found: FoundFile, _ path: [UInt8]) throws(CapsuleError) {
        let length = min(found.entry.size, UInt64(Self.probedLength))
        let start = try found.head(Self.probedLength)
        let isCut = length < found.entry.size
        // The cut may have split a character: it counts as text if up to three bytes less are.
        let isText = (0...(isCut ? 3 : 0)).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
        guard isText, !start.contains(0) else {
            throw CapsuleError(
                "refusing to write binary data to a terminal", path: HostPath(path), hint: "redirect it to a file or a pipe")
        }
    }

    private static let probedLength = 65_536
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    private static func writeZeros(_ length: UInt64, to output: StandardOutput) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            let count = Int(min(rest, UInt64(zeros.count)))
            try output.write(Array(zeros.prefix(count)))
            rest -= UInt64(count)
        }
    }
}
