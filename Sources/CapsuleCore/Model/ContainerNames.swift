/// Names in a container that mean something (docs/format.md, sections 5 and 7).
package enum ContainerNames {
    /// The directory in which a bundle has the app's data.
    package static let appData = Array("AppData".utf8)
    /// The directory in which a bundle has app groups, each in a directory named by its identifier.
    package static let appGroups = Array("AppGroups".utf8)
    /// The container manager's metadata plist, at the top of a container or of a group.
    package static let identity = Array(".com.apple.mobile_container_manager.metadata.plist".utf8)
    /// At the top of a container, of a group or of a directory: where a transaction keeps what it is about to do. Never part
    /// of a tree.
    package static let transaction = Array(".capsule-transaction".utf8)

    /// The path or pattern in a container, of one that begins with the wrapper's `AppData/`; nil for any other, and for one that
    /// would name nothing.
    package static func insideAppData(_ path: [UInt8]) -> String? {
        let wrapper = appData + [RelativePath.slash]
        guard path.starts(with: wrapper), path.count > wrapper.count else { return nil }
        return String(validating: path[wrapper.count...], as: UTF8.self)
    }

    /// What to say of a pattern that begins with the wrapper's `AppData/`.
    package static func hint(forPathInside path: String) -> String { "paths begin inside AppData: write '\(path)'" }
}
