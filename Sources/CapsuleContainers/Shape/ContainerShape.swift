import CapsuleCore

/// The shape of a directory, judged by the names of its entries.
package enum ContainerShape: Hashable {
    /// A bundle: `AppData` and the files beside it.
    case bundle
    /// Bare app data.
    case container
    /// A Mac app's sandbox, whose app data is in its `Data`.
    case macContainer
    case directory

    package static let appData = ContainerNames.appData
    package static let appDataInfo = Array("AppDataInfo.plist".utf8)
    package static let appGroups = ContainerNames.appGroups
    package static let bundleSuffix = Array(".xcappdata".utf8)
    package static let identity = ContainerNames.identity
    static let macIdentity = Array(".com.apple.containermanagerd.metadata.plist".utf8)
    package static let macData = Array("Data".utf8)

    /// Judges a directory.
    ///
    /// - Parameters:
    ///   - name: the name of the directory.
    ///   - directories: the names of the directories in it.
    ///   - files: the names of the files in it.
    /// - Returns: the shape, and the reason in words.
    package static func judge(name: [UInt8], directories: Set<[UInt8]>, files: Set<[UInt8]>) -> (ContainerShape, evidence: String)
    {
        // Leftovers of a transaction don't change the shape.
        let directories = directories.subtracting([ContainerNames.transaction])
        let files = files.subtracting([ContainerNames.transaction])
        if directories.contains(appData) {
            if files.contains(appDataInfo) { return (.bundle, "AppData beside AppDataInfo.plist") }
            if name.count > bundleSuffix.count, name.suffix(bundleSuffix.count).elementsEqual(bundleSuffix) {
                return (.bundle, "AppData in a directory named .xcappdata")
            }
            if directories.count == 1, files.isEmpty { return (.bundle, "AppData alone") }
        }
        if files.contains(identity) { return (.container, "the container manager's metadata plist") }
        if directories.contains(Array("Library".utf8)) {
            for other in ["Documents", "tmp", "SystemData"] where directories.contains(Array(other.utf8)) {
                return (.container, "Library beside \(other)")
            }
        }
        if directories.contains(macData), files.contains(macIdentity) {
            return (.macContainer, "Data beside a Mac container's metadata plist")
        }
        return (.directory, "neither AppData, nor a metadata plist, nor Library with Documents, tmp or SystemData")
    }
}
