package import CapsuleArchive
package import CapsuleCore
package import CapsuleSystem

/// A running `age`, which does all of the cryptography.
final class AgeProgram {
    private let process: FilterProcess
    private static let errorMark = Array("age: error: ".utf8)
    /// The line that age adds to each error, an address for reports.
    private static let reportMark = Array("age: report ".utf8)

    /// - Parameters:
    ///   - source: the descriptor of the file that it reads; nil for what ``write(_:)`` gives it.
    ///   - output: the descriptor of the file that it writes.
    init(_ arguments: [[UInt8]], reading source: Int32?, writing output: Int32) throws(CapsuleError) {
        let program = try NeededProgram.find(
            "age", for: "encrypted files need", hint: "'apt-get install age' or 'brew install age' installs it")
        process = try FilterProcess(program, arguments, reading: source, writing: output)
    }

    /// - Throws: with the code `brokenPipe` if age has ended; ``finish(failing:)`` then throws the reason.
    func write(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) { try process.write(bytes) }

    /// Waits for the end. What age says besides errors, such as that a key waits to be touched, goes to standard error at once.
    /// - Parameter error: returns the error for age's reason.
    func finish(failing error: (String) -> CapsuleError) throws(CapsuleError) {
        var reasons: [String] = []
        let end = try process.finish { line in
            if line.starts(with: Self.errorMark) {
                reasons.append(QuotedBytes(Array(line.dropFirst(Self.errorMark.count))).text)
            } else if !line.starts(with: Self.reportMark) {
                (line + [UInt8(ascii: "\n")]).withUnsafeBytes { try? Syscall.write(2, $0, path: HostPath("standard error")) }
            }
        }
        // A signal ends age, too.
        try Interruption.check()
        guard end.status != 0 else { return }
        throw error(reasons.isEmpty ? "it ended with status \(end.status)" : reasons.joined(separator: "; "))
    }
}

/// The people who can decrypt an output, by their public keys.
package struct AgeRecipients: Sendable {
    fileprivate let arguments: [[UInt8]]

    /// - Parameters:
    ///   - keys: public keys of age or SSH.
    ///   - file: a file with one such key on each line.
    /// - Throws: `usage` for a secret key, which must not be shown to anyone.
    package init(_ keys: [String], file: HostPath?) throws(CapsuleError) {
        for key in keys where Self.isSecret(key) {
            throw CapsuleError(
                .usage, "the recipient is a secret key, which must not be passed on",
                hint: "'age-keygen -y FILE' prints the recipient of the key in FILE")
        }
        arguments =
            keys.flatMap { [Array("--recipient".utf8), Array($0.utf8)] }
            + (file.map { [Array("--recipients-file".utf8), NeededProgram.argument($0)] } ?? [])
    }

    /// Returns true for a secret key itself, which no message may show.
    package static func isSecret(_ text: String) -> Bool {
        text.uppercased().hasPrefix("AGE-SECRET-KEY-") || text.contains("PRIVATE KEY")
    }
}

extension StagedFile {
    /// Returns the file as the output of a writer, which age encrypts if there are recipients.
    package func members(encryptedFor recipients: AgeRecipients?) throws(CapsuleError) -> any MemberOutput {
        guard let recipients else { return StagedMembers(self) }
        return try EncryptedMembers(self, recipients)
    }
}

/// A staged file as an output that age encrypts. Plain bytes are in memory and in a pipe only. The last ones are held back, so that a file
/// that changes while it is packed can be packed again.
private final class EncryptedMembers: MemberOutput {
    private let file: StagedFile
    private let age: AgeProgram
    private var held: [UInt8] = []
    /// The number of bytes that age has.
    private var sent: UInt64 = 0
    private static let window = 16 << 20

    init(_ file: StagedFile, _ recipients: AgeRecipients) throws(CapsuleError) {
        self.file = file
        let output = try file.duplicate()
        age = try AgeProgram([Array("--encrypt".utf8)] + recipients.arguments, reading: nil, writing: output.raw)
    }

    var path: HostPath { file.target }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        precondition(offset == sent + UInt64(held.count), "an encrypted file is written in order")
        held += bytes
        if held.count > 2 * Self.window { try send(held.count - Self.window) }
    }

    func rewind(to offset: UInt64) throws(CapsuleError) {
        guard offset >= sent else {
            throw CapsuleError(
                "a file changed while it was packed, and can't be packed again in an encrypted capsule", path: path,
                hint: "stop the app, then try again")
        }
        held.removeSubrange(Int(offset - sent)...)
    }

    func finish(length: UInt64) throws(CapsuleError) {
        try send(held.count)
        try end()
    }

    private func send(_ count: Int) throws(CapsuleError) {
        do throws(CapsuleError) {
            try held.withRawBytes { (bytes) throws(CapsuleError) in
                try age.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        } catch {
            // Age ended early, and says why.
            if error.code == .brokenPipe { try end() }
            throw error
        }
        held.removeFirst(count)
        sent += UInt64(count)
    }

    private func end() throws(CapsuleError) {
        try age.finish { [path] in
            CapsuleError("age can't encrypt it: \($0)", path: path, hint: "a recipient is an age or SSH public key")
        }
    }
}
