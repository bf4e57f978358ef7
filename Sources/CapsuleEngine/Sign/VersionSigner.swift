import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Signs versions of capsules with keys of SSH.
package struct VersionSigner: Sendable {
    package struct Outcome: Sendable {
        package let file: HostPath
        package let version: UInt32
        package let signature: HostPath
    }

    private let key: HostPath
    private let replaces: Bool

    /// - Parameters:
    ///   - key: the file of a private key, or of the public key of one in an agent.
    ///   - replaces: true to replace a signature that is there.
    package init(key: HostPath, replaces: Bool) {
        self.key = key
        self.replaces = replaces
    }

    /// Writes the signature of a version beside the capsule. The user may be asked for a passphrase or to touch a key.
    package func sign(_ selector: VersionSelector, of path: HostPath) throws(CapsuleError) -> Outcome {
        let version = try Self.version(selector, of: path)
        let output = OutputFile(path.signature(of: version.footer.version), replaces: replaces)
        try FileProbe.checkTarget(
            output.path, as: .file, replacing: replaces, flag: nil, hint: replaces ? nil : "'--force' replaces it")
        _ = try Syscall.openFile(key)
        let run = try SSHKeygen(
            "sign", [Array("-n".utf8), Array(SSHKeygen.namespace.utf8), Array("-f".utf8), NeededProgram.argument(key)],
            input: try version.statement().bytes)
        guard run.isSuccess, run.output.starts(with: SSHKeygen.signatureStart) else {
            throw CapsuleError(
                "ssh-keygen can't sign with it: \(run.reason)", path: key,
                hint: "it is a private key of SSH, or the public one of a key in ssh-agent")
        }
        try output.write(run.output)
        return Outcome(file: path, version: version.footer.version, signature: output.path)
    }

    private static func version(_ selector: VersionSelector, of path: HostPath) throws(CapsuleError) -> StoredVersion {
        let version: StoredVersion
        do throws(CapsuleError) {
            let file = try CapsuleFile(opening: path)
            guard try !EncryptedFile.isEncrypted(file) else {
                throw CapsuleError(
                    .usage, "is encrypted, and only a capsule can be signed", path: path,
                    hint: "decrypt it with age, and sign that")
            }
            version = try StoredVersion(try CapsuleReader(file), selector)
        } catch {
            if error.code == .notCapsule { throw error.hinting("only a capsule can be signed: 'capsule pack' makes one") }
            throw CapsuleError(error, opening: path) { _ in "a version is signed as FILE@VERSION" }
        }
        // A manifest that lies about its tree must not be signed: whoever signs has seen the tree.
        guard let problem = version.digestProblems.first else { return version }
        throw CapsuleError(.damaged, "version \(version.footer.version): \(problem)", path: path, hint: path.verifyHint)
    }
}

extension StoredVersion {
    /// Returns the text that a signature of the version signs.
    func statement() throws(CapsuleError) -> VersionStatement {
        do throws(PlistError) {
            return try VersionStatement(manifest)
        } catch {
            throw CapsuleError("its manifest can't be signed: \(error.message)", path: capsule.file.path)
        }
    }

    /// The digests of the tree that don't match its index.
    var digestProblems: [String] {
        var problems: [String] = []
        if TreeDigester.digest(of: entries, .tree) != root.treeDigest || root.treeDigest != manifest.treeDigest {
            problems.append("the tree digest does not match the index")
        }
        if TreeDigester.digest(of: entries, .content) != root.contentDigest || root.contentDigest != manifest.contentDigest {
            problems.append("the content digest does not match the index")
        }
        return problems
    }
}
