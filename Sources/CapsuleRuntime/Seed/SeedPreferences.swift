import Foundation

/// The preferences that a seed has: values for the preferences' own keeper, never files.
struct SeedPreferences {
    private(set) var domains: [(name: String, values: [String: Any])] = []
    /// What in `Library/Preferences` is no preferences of the app's.
    private(set) var omitted: [(path: String, reason: String)] = []

    /// Reads those in a container's `Library/Preferences`.
    ///
    /// - Parameter pathPrefix: what stands before the paths that are told.
    mutating func read(_ container: OpenDirectory, pathPrefix: String) throws(AppDataError) {
        guard let library = try Self.directory("Library", container),
            let directory = try Self.directory("Preferences", library)
        else { return }
        for name in try directory.names() {
            let path = "\(pathPrefix)Library/Preferences/\(name.text)"
            guard name.hasSuffix(".plist"), try directory.status(of: name)?.kind == .file else {
                omitted.append((path, "not a property list"))
                continue
            }
            if name.isSystemPreferences {
                omitted.append((path, "system preferences"))
                continue
            }
            let bytes = try directory.content(of: name)
            let document = try? PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
            guard let values = document as? [String: Any] else {
                throw AppDataError(
                    .notAPropertyList, directory.path(of: name), "is not a property list with a dictionary at its root")
            }
            domains.append((name.dropping(".plist").text, values))
        }
    }

    private static func directory(_ name: String, _ parent: OpenDirectory) throws(AppDataError) -> OpenDirectory? {
        try parent.directoryIfThere(EntryName(name))
    }
}
