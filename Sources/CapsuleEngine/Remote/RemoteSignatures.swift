import CapsuleContainers
import CapsuleCore
import CapsuleRemote
import CapsuleSystem

/// The signatures beside a capsule, which go where it goes.
enum RemoteSignatures {
    /// Reads the signatures of some versions, by their numbers.
    static func read(beside path: HostPath, of versions: [UInt32]) throws(CapsuleError) -> [UInt32: [UInt8]] {
        var signatures: [UInt32: [UInt8]] = [:]
        for version in versions {
            guard let file = path.signatureIfThere(of: version) else { continue }
            let bytes = try EditedFile(file, limit: UInt64(SSHKeygen.longest)).bytes
            guard bytes.starts(with: SSHKeygen.signatureStart) else {
                throw CapsuleError("is not an SSH signature, so it is not pushed", path: file, hint: "move it elsewhere first")
            }
            signatures[version] = bytes
        }
        return signatures
    }

    /// Stores signatures beside a manifest. A registry that does not take them still has the capsule.
    /// - Returns: a note about that, or nil.
    static func push(
        _ signatures: [UInt32: [UInt8]], to manifest: [UInt8], in repository: any CapsuleRepository
    ) throws(CapsuleError) -> String? {
        if signatures.isEmpty { return nil }
        do throws(CapsuleError) {
            try repository.attach(signatures, to: manifest)
            return nil
        } catch {
            guard error.code == .refused else { throw error.hinting("the capsule itself is pushed") }
            return "\(repository.place) does not take signatures: \(error.message)"
        }
    }

    /// Gets the signatures of a capsule that was pulled.
    /// - Parameter replaces: true to replace other signatures of the same versions.
    /// - Returns: the signatures that were left out because others are there.
    static func pull(
        from name: RemoteName, _ digest: OCIDigest, of versions: Set<UInt32>, beside path: HostPath, replacing replaces: Bool
    ) throws(CapsuleError) -> [HostPath] {
        let repository: any CapsuleRepository
        switch name.address {
        case .registry(let reference): repository = RemoteAccess.client(reference, .pull)
        case .layout(let reference): repository = LayoutDirectory(reference)
        case .web: return []
        }
        var kept: [HostPath] = []
        for (version, bytes) in try repository.signatures(of: digest).sorted(by: { $0.key < $1.key }) {
            guard versions.contains(version), bytes.starts(with: SSHKeygen.signatureStart) else { continue }
            let file = path.signature(of: version)
            if path.signatureIfThere(of: version) != nil {
                if (try? EditedFile(file, limit: UInt64(SSHKeygen.longest)).bytes) == bytes { continue }
                if !replaces {
                    kept.append(file)
                    continue
                }
            }
            try OutputFile(file, replaces: replaces).write(bytes)
        }
        return kept
    }
}
