import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Checks the signatures beside a capsule.
package struct SignatureCheck: Sendable {
    /// The signature of a version, or that there is none.
    package struct Signature: Sendable {
        package let version: UInt32
        /// The file; nil if there is none.
        package let file: HostPath?
        /// Who signed, as the list of signers names them; nil unless the signature is good.
        package fileprivate(set) var signer: [UInt8]?
        /// The reason why the version does not pass; nil if it does, which it may without a signature.
        package fileprivate(set) var problem: String?
    }

    private let signers: HostPath
    private let revoked: HostPath?
    private let version: VersionSelector?
    private let isRequired: Bool
    /// The most names of one key that are tried.
    private static let mostNames = 64

    /// - Parameters:
    ///   - signers: the file with the keys that may sign, and their owners (ssh-keygen(1), ALLOWED SIGNERS).
    ///   - revoked: a file with revoked keys, or nil.
    ///   - version: the version to check; nil for all.
    ///   - isRequired: true if a version without a signature doesn't pass.
    package init(signers: HostPath, revoked: HostPath?, version: VersionSelector?, isRequired: Bool) {
        self.signers = signers
        self.revoked = revoked
        self.version = version
        self.isRequired = isRequired
    }

    /// Returns the signatures of the versions of an intact capsule, oldest first.
    func run(_ capsule: CapsuleReader) throws(CapsuleError) -> [Signature] {
        for file in [signers, revoked].compactMap({ $0 }) { _ = try Syscall.openFile(file) }
        let footers: [Footer]
        if let version {
            footers = [try StoredVersion(capsule, version).footer]
        } else {
            footers = try capsule.footers().reversed()
        }
        var signatures: [Signature] = []
        for footer in footers {
            let file = capsule.file.path.signatureIfThere(of: footer.version)
            var signature = Signature(version: footer.version, file: file)
            if let file {
                do throws(CapsuleError) {
                    signature.signer = try signer(of: try StoredVersion(capsule, footer), by: file)
                } catch {
                    guard error.path == file else { throw error }
                    signature.problem = "the signature \(QuotedBytes(file.bytes).text) is not good: \(error.message)"
                }
            } else if isRequired {
                signature.problem = "no signature \(QuotedBytes(capsule.file.path.signature(of: footer.version).bytes).text)"
            }
            signatures.append(signature)
        }
        return signatures
    }

    /// - Throws: with the path of the signature if it is not good.
    private func signer(of version: StoredVersion, by file: HostPath) throws(CapsuleError) -> [UInt8] {
        // ssh-keygen gets a copy: the file is foreign, and may change.
        let bytes = try EditedFile(file, limit: UInt64(SSHKeygen.longest)).bytes
        let scratch = try ScratchDirectory()
        let name = Array("signature".utf8)
        let copy = try scratch.createFile(name)
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try copy.write(bytes, at: 0) }
        let signature = [Array("-s".utf8), scratch.path.appending(name).bytes, Array("-f".utf8), NeededProgram.argument(signers)]
        let found = try SSHKeygen("find-principals", signature)
        guard found.isSuccess else { throw CapsuleError(.damaged, found.reason, path: file) }
        let statement = try version.statement().bytes
        var reason = "nobody has its key"
        for signer in found.output.split(separator: UInt8(ascii: "\n")).prefix(Self.mostNames) {
            var arguments = signature + [Array("-n".utf8), Array(SSHKeygen.namespace.utf8), Array("-I".utf8), Array(signer)]
            if let revoked { arguments += [Array("-r".utf8), NeededProgram.argument(revoked)] }
            let run = try SSHKeygen("verify", arguments, input: statement)
            if run.isSuccess { return Array(signer) }
            reason = run.reason
        }
        throw CapsuleError(.damaged, reason, path: file)
    }
}
