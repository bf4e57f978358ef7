/// A text that is a path into a container of an app, or a file URL of one (RFC 8089), and leads below that container.
///
/// It begins with where the container was when the app was installed:
/// `/var/mobile/Containers/Data/Application/UUID`, with `/private` before it or not, or on a simulator
/// `…/UDID/data/Containers/Data/Application/UUID`. Texts that only hold a path somewhere are none.
package struct ContainerPath {
    /// Which of an app's containers a path leads into.
    package enum Kind: Sendable {
        case data, bundle, group

        /// What stands between the place of all containers and the UUID.
        fileprivate var marker: [UInt8] {
            switch self {
            case .data: Array("/Data/Application/".utf8)
            case .bundle: Array("/Bundle/Application/".utf8)
            case .group: Array("/Shared/AppGroup/".utf8)
            }
        }
    }

    package let kind: Kind
    /// The UUID that the container had: another one with each installation.
    package let installation: String
    /// Whether it is a file URL.
    let isURL: Bool
    /// Where the container was, as it is written.
    let container: Substring
    /// What follows: empty, or from a slash on.
    let rest: Substring

    private static let scheme = "file://"
    private static let host = "localhost"
    private static let containers = [Array("/Containers".utf8), Array("/containers".utf8)]
    private static let deviceRoots = ["/var/mobile", "/private/var/mobile", "/var", "/private/var"].map { Array($0.utf8) }
    private static let simulatorData = Array("/data".utf8)

    /// Takes a text apart; nil for one that leads into no container.
    package init?(_ text: String) {
        guard text.utf8.count > GeneratedText.uuidLength, let first = text.utf8.first,
            first == RelativePath.slash || first == UInt8(ascii: "f")
        else { return nil }
        var start = text.startIndex
        isURL = text.utf8.starts(with: Self.scheme.utf8)
        if isURL {
            start = text.utf8.index(start, offsetBy: Self.scheme.utf8.count)
            if text.utf8[start...].starts(with: Self.host.utf8) {
                start = text.utf8.index(start, offsetBy: Self.host.utf8.count)
            }
        }
        let path = Array(text.utf8[start...])
        guard path.first == RelativePath.slash, let (kind, end) = Self.container(in: path) else { return nil }
        self.kind = kind
        installation = String(decoding: path[(end - GeneratedText.uuidLength)..<end], as: UTF8.self)
        let cut = text.utf8.index(start, offsetBy: end)
        container = text[start..<cut]
        rest = text[cut...]
    }

    /// Where the container's own path ends, and what kind it is; nil where there is none.
    private static func container(in path: [UInt8]) -> (Kind, Int)? {
        for at in path.indices where path[at] == RelativePath.slash {
            guard containers.contains(where: { path[at...].starts(with: $0) }) else { continue }
            let behind = at + "/Containers".utf8.count
            for kind in [Kind.data, .bundle, .group] where path[behind...].starts(with: kind.marker) {
                let end = behind + kind.marker.count + GeneratedText.uuidLength
                guard end <= path.count, end == path.count || path[end] == RelativePath.slash,
                    isUUID(path[(end - GeneratedText.uuidLength)..<end]), isRoot(path[..<at])
                else { continue }
                return (kind, end)
            }
        }
        return nil
    }

    /// Whether a device or a simulator has its containers there.
    private static func isRoot(_ path: ArraySlice<UInt8>) -> Bool {
        if deviceRoots.contains(where: { $0.elementsEqual(path) }) { return true }
        guard path.suffix(simulatorData.count).elementsEqual(simulatorData) else { return false }
        let device = path.dropLast(simulatorData.count)
        return device.count > GeneratedText.uuidLength && isUUID(device.suffix(GeneratedText.uuidLength))
            && device[device.endIndex - GeneratedText.uuidLength - 1] == RelativePath.slash
    }

    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { GeneratedText.isUUID($0) }
    }
}
