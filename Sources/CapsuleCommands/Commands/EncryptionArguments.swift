import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

extension CommandContext {
    /// Returns the file with the keys for encrypted containers: `--identity`, or CAPSULE_IDENTITY, or else nil.
    func identity() throws(CapsuleError) -> HostPath? {
        let given = command[ifTaken: .identity] ?? process.environment("CAPSULE_IDENTITY")
        guard let given, !given.isEmpty else { return nil }
        guard HostPath(given) != .standardStream else {
            throw CapsuleError(.usage, "an identity is a file, not standard input")
        }
        guard !AgeRecipients.isSecret(String(decoding: given, as: UTF8.self)) else {
            throw CapsuleError(.usage, "an identity is a file with a key, not the key itself")
        }
        return HostPath(given)
    }

    /// Returns the people whom the output is encrypted for; nil if it is not encrypted. The name and the flags must agree, so that nobody
    /// takes a plain file for an encrypted one.
    /// - Parameter takesAnyName: true if a plain output may end in `.age`.
    func recipients(takesAnyName: Bool = false) throws(CapsuleError) -> AgeRecipients? {
        let (keys, file) = (command[.recipients], command[.recipientsFile].map(HostPath.init))
        let output = command[.output]
        let isNamed = output.map { EncryptedFile.isNamed($0) }
        guard !keys.isEmpty || file != nil else {
            if isNamed == true, !takesAnyName {
                throw CapsuleError(
                    .usage, "would not be encrypted: there is no recipient", path: output.map(HostPath.init),
                    hint: "'--recipient KEY' encrypts it for the owner of a public key; or choose another name")
            }
            return nil
        }
        if isNamed == false {
            throw CapsuleError(
                .usage, "does not end in '.age', as the name of an encrypted file does", path: output.map(HostPath.init),
                hint: "add '.age' to the name")
        }
        return try AgeRecipients(keys, file: file)
    }
}
