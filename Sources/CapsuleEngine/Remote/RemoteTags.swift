import CapsuleContainers
package import CapsuleCore
import CapsuleRemote

/// Lists the tags of a repository or a layout.
package enum RemoteTags {
    package static func list(of argument: [UInt8]) throws(CapsuleError) -> [String] {
        switch try RemoteName(argument)?.address {
        case .registry(let reference): return try RemoteAccess.client(reference, .pull).tags()
        case .layout(let reference): return try LayoutDirectory(reference).tags()
        case .web, nil:
            throw CapsuleError(
                .usage, "is not a repository in a registry", path: HostPath(RemoteName.shown(argument)),
                hint: "write oci://HOST/NAME or oci:DIRECTORY")
        }
    }
}
