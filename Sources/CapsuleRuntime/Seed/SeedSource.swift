import Foundation

/// The directories of a seed: the container's own, and those of its app groups.
struct SeedSource {
    /// What has `Documents`, `Library` and `tmp`.
    let container: URL
    let groups: [(identifier: String, url: URL)]

    /// - Parameter url: a bundle, with `AppData` and perhaps `AppGroups` in it, or what is in `AppData`, bare.
    init(_ url: URL) throws(AppDataError) {
        let top = try OpenDirectory.top(url)
        let isBundle = try top.status(of: EntryName("AppData"))?.kind == .directory
        container = isBundle ? url.appendingPathComponent("AppData", isDirectory: true) : url
        let all = EntryName("AppGroups")
        var groups: [(identifier: String, url: URL)] = []
        if let directory = try top.directoryIfThere(all) {
            for name in try directory.names() where try directory.status(of: name)?.kind == .directory {
                let place = url.appendingPathComponent(all.text, isDirectory: true)
                groups.append((name.text, place.appendingPathComponent(name.text, isDirectory: true)))
            }
        }
        self.groups = groups
    }

    /// Finds a resource: `NAME.xcappdata`, or a directory NAME.
    static func find(_ name: String, in bundle: Bundle) throws(AppDataError) -> URL {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        for candidate in [name + ".xcappdata", name] {
            let url = resources.appendingPathComponent(candidate, isDirectory: true)
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue { return url }
        }
        throw AppDataError(
            .missing, name, "no seed with this name in \(resources.path): expected \(name).xcappdata or a directory")
    }
}
