/// Finds paths into containers in texts: they change with each installation.
enum ContainerPathText {
    /// What stands in front of a container's own name; on a device `/private` and `file://` may come before it.
    private static let deviceRoots = ["/var/mobile/Containers/", "/private/var/mobile/"].map { Array($0.utf8) }
    private static let simulatorRoot = Array("/CoreSimulator/Devices/".utf8)
    private static let simulatorContainers = Array("/data/Containers/".utf8)

    /// Whether a text holds a path into a container of a device, or of a simulator.
    static func isContained(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        for start in text.indices where text[start] == RelativePath.slash {
            let rest = UnsafeBufferPointer(rebasing: text[start...])
            if deviceRoots.contains(where: { rest.starts(with: $0) }) { return true }
            guard rest.starts(with: simulatorRoot) else { continue }
            let device = UnsafeBufferPointer(rebasing: rest[simulatorRoot.count...])
            guard device.count > GeneratedText.uuidLength,
                GeneratedText.isUUID(UnsafeBufferPointer(rebasing: device[..<GeneratedText.uuidLength]))
            else { continue }
            if device[GeneratedText.uuidLength...].starts(with: simulatorContainers) { return true }
        }
        return false
    }
}
