import CapsuleCore
import CapsuleSystem

/// A run of `ssh-keygen -Y`, which does all of the cryptography.
struct SSHKeygen {
    /// The namespace of the signatures, so that a signature for another purpose, such as a commit's, is none of a version.
    static let namespace = "capsule"
    static let signatureStart = Array("-----BEGIN SSH SIGNATURE-----".utf8)
    /// The longest signature and the longest answer that are read, in bytes.
    static let longest = 64 << 10

    let isSuccess: Bool
    /// The bytes of standard output.
    let output: [UInt8]
    /// The lines of standard error, for messages.
    let reason: String

    /// - Throws: `notFound` if the program is not in PATH.
    init(_ verb: String, _ arguments: [[UInt8]], input: [UInt8] = []) throws(CapsuleError) {
        let program = try NeededProgram.find(
            "ssh-keygen", for: "signatures need",
            hint: "'apt-get install openssh-client' installs it; it is a part of macOS")
        let spool = try SpoolFile()
        let file = try spool.duplicate()
        let process = try FilterProcess(
            program, [Array("-Y".utf8), Array(verb.utf8)] + arguments, reading: nil, writing: file.raw)
        do throws(CapsuleError) {
            try input.withRawBytes { (bytes) throws(CapsuleError) in try process.write(bytes) }
        } catch {
            // It ended early, and says why.
            guard error.code == .brokenPipe else { throw error }
        }
        var reasons: [String] = []
        let end = try process.finish { line in
            let text = Self.plain(line)
            if Self.isForUser(text) {
                Array("\(text)\n".utf8).withUnsafeBytes { try? Syscall.write(2, $0, path: HostPath("standard error")) }
            } else if text != Self.progress {
                reasons.append(text)
            }
        }
        try Interruption.check()
        isSuccess = end.status == 0
        guard try Syscall.status(of: file.raw, path: program).size <= UInt64(Self.longest) else {
            throw .tooLarge("read its output", program)
        }
        output = try [UInt8](reading: Self.longest) { (room) throws(CapsuleError) in try spool.read(at: 0, into: room) }
        if reasons.isEmpty { reasons = output.split(separator: UInt8(ascii: "\n")).map { Self.plain(Array($0)) } }
        reason = reasons.isEmpty ? "it ended with status \(end.status)" : reasons.suffix(3).joined(separator: "; ")
    }

    /// Returns a line as a part of a message.
    private static func plain(_ line: [UInt8]) -> String {
        let end = line.lastIndex { ![UInt8(ascii: "\r"), UInt8(ascii: ".")].contains($0) } ?? -1
        return QuotedBytes(Array(line[...end])).text
    }

    private static let progress = "Signing data on standard input"

    /// Returns true for a line that the user must see at once: a key waits to be touched.
    private static func isForUser(_ line: String) -> Bool {
        line.hasPrefix("Confirm user presence") || line.hasPrefix("User presence")
    }
}

extension HostPath {
    /// The file of the signature of a version, beside the capsule.
    func signature(of version: UInt32) -> HostPath { HostPath(bytes + Array(".\(version).sig".utf8)) }

    /// The file of the signature of a version; nil if there is none beside the capsule.
    func signatureIfThere(of version: UInt32) -> HostPath? {
        guard self != .standardStream else { return nil }
        let path = signature(of: version)
        return (try? Syscall.statusIfThere(path)) != nil ? path : nil
    }
}
