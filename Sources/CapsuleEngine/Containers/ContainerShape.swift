import CapsuleCore

/// What a directory's own entries say it is.
enum ContainerShape: Hashable {
    /// A bundle: `AppData` and what stands beside it.
    case bundle
    /// Bare app data.
    case container
    /// A Mac app's sandbox: the app data is its `Data`.
    case macContainer
    case directory

    static let appData = ContainerNames.appData
    static let appDataInfo = Array("AppDataInfo.plist".utf8)
    static let appGroups = ContainerNames.appGroups
    static let bundleSuffix = Array(".xcappdata".utf8)
    static let identity = ContainerNames.identity
    static let macIdentity = Array(".com.apple.containermanagerd.metadata.plist".utf8)
    static let macData = Array("Data".utf8)

    /// Judges a directory.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - directories: the names of the directories in it.
    ///   - files: the names of the files in it.
    /// - Returns: what it is, and why, in words.
    static func judge(name: [UInt8], directories: Set<[UInt8]>, files: Set<[UInt8]>) -> (ContainerShape, evidence: String) {
        // What a transaction left behind changes nothing about what it is.
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
