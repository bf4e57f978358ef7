import CapsuleContainers
package import CapsuleCore
import CapsuleRemote

/// Lists the tags of a repository.
package enum RemoteTags {
    package static func list(of argument: [UInt8]) throws(CapsuleError) -> [String] {
        guard let name = try RemoteName(argument), case .registry(let reference) = name.address else {
            throw CapsuleError(
                .usage, "is not a repository in a registry", path: HostPath(argument), hint: "write oci://HOST/NAME")
        }
        return try RemoteAccess.client(reference, .pull).tags()
    }
}
