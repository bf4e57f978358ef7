package import CapsuleArchive
package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem
import Synchronization

/// Files that the program age encrypted (age-encryption.org/v1), binary or armored. `age` decrypts them into a file without a name. It
/// is never longer than the encrypted one.
package enum EncryptedFile {
    /// The ending of the names of such files.
    package static let ending = Array(".age".utf8)
    static let magics = [Array("age-encryption.org/v1".utf8), Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)]

    /// The beginning of a file that a passphrase decrypts. A multiple of 3 bytes, so that its Base64 begins an armored one.
    private static let passphraseStart = Array("age-encryption.org/v1\n-> scryp".utf8)
    private static let headLength = 128

    /// The use of identities in this process.
    private enum Access: Sendable {
        case none
        case identity(HostPath?)
    }

    private struct OpenFile {
        weak var file: CapsuleFile?
    }

    private static let access = Mutex(Access.none)
    /// The decrypted files that are in use: two versions of one are read through one, and age asks for a passphrase once.
    private static let open = Mutex<[HostPath: OpenFile]>([:])

    /// Allows files to be decrypted, which may ask the user for a passphrase.
    /// - Parameter identity: the file with the keys; nil if there is none, and only a passphrase can decrypt a file.
    package static func allow(identity: HostPath?) { access.withLock { $0 = .identity(identity) } }

    package static func isNamed(_ name: [UInt8]) -> Bool {
        name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
    }

    static func isEncrypted(_ start: [UInt8]) -> Bool { magics.contains { start.starts(with: $0) } }

    /// Returns the content of an encrypted file; nil for any other file.
    static func decrypt(_ file: CapsuleFile) throws(CapsuleError) -> CapsuleFile? {
        let start = try file.read(at: 0, count: headLength)
        guard isEncrypted(start) else { return nil }
        let outcome: Result<CapsuleFile, CapsuleError> = open.withLock { open in
            if let plain = open[file.path]?.file { return .success(plain) }
            do throws(CapsuleError) {
                let plain = try decrypt(file, hasPassphrase: hasPassphrase(start))
                open[file.path] = OpenFile(file: plain)
                return .success(plain)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private static func hasPassphrase(_ start: [UInt8]) -> Bool {
        if start.starts(with: passphraseStart) { return true }
        let lines = start.split(maxSplits: 1) { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        return lines.count > 1 && lines[1].drop { $0 == UInt8(ascii: "\n") }.starts(with: Base64.encode(passphraseStart))
    }

    private static func decrypt(_ file: CapsuleFile, hasPassphrase: Bool) throws(CapsuleError) -> CapsuleFile {
        var arguments = [Array("--decrypt".utf8)]
        if !hasPassphrase {
            guard case .identity(let identity?) = access.withLock({ $0 }) else {
                throw CapsuleError(
                    .usage, "is encrypted, and no identity is given to decrypt it", path: file.path,
                    hint: "'--identity FILE' or the variable CAPSULE_IDENTITY names the file with an age or SSH key")
            }
            _ = try Syscall.status(identity, following: true)
            arguments += [Array("--identity".utf8), NeededProgram.argument(identity)]
        } else if case .none = access.withLock({ $0 }) {
            throw CapsuleError("is encrypted with a passphrase", path: file.path)
        }
        let spool = try SpoolFile()
        let source = try localCopy(of: file)
        let output = try spool.duplicate()
        let age = try AgeProgram(arguments, reading: source.raw, writing: output.raw)
        try age.finish { reason in
            CapsuleError(
                "age can't decrypt it: \(reason)", path: file.path,
                hint: hasPassphrase
                    ? "age asks for the passphrase on the terminal, so run it in one"
                    : "it needs the whole file, the key of one of its recipients as '--identity', and space for the content in TMPDIR"
            )
        }
        return try CapsuleFile(adopting: output, path: file.path)
    }

    /// Returns the file itself, or what a server has of it.
    private static func localCopy(of file: CapsuleFile) throws(CapsuleError) -> OwnedDescriptor {
        if let own = try file.descriptor() { return own }
        let spool = try SpoolFile()
        var offset: UInt64 = 0
        while offset < file.length {
            try Interruption.check()
            let bytes = try file.read(at: offset, count: 1 << 20)
            try bytes.withRawBytes { (bytes) throws(CapsuleError) in try spool.write(bytes, at: offset) }
            offset += UInt64(bytes.count)
        }
        return try spool.duplicate()
    }

    package static func isEncrypted(_ file: CapsuleFile) throws(CapsuleError) -> Bool {
        isEncrypted(try file.read(at: 0, count: headLength))
    }

    /// Throws the error for an encrypted file that a command would change.
    package static func refuseChange(of file: CapsuleFile) throws(CapsuleError) {
        guard try isEncrypted(file) else { return }
        let plain = isNamed(file.path.bytes) ? HostPath(Array(file.path.bytes.dropLast(ending.count))) : HostPath("NAME.capsule")
        throw CapsuleError(
            .usage, "is encrypted, and can't be changed", path: file.path,
            hint: "'age -d -i KEY -o \(plain.shellWord) \(file.path.shellWord)' decrypts it; encrypt it again after the change")
    }
}
