import Foundation

/// The directories of a seed: the container's own, and those of its app groups.
struct SeedSource {
    /// The directory with `Documents`, `Library` and `tmp`.
    let container: URL
    let groups: [(identifier: String, url: URL)]

    /// Finds the directories of a seed.
    ///
    /// - Parameter url: a bundle, with `AppData` and possibly `AppGroups` in it, or the contents of an `AppData`.
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

/// The contents of a seed's directory, grouped by how they are installed.
struct SeedDirectory {
    private(set) var units: [StoreUnit] = []
    private(set) var files: [EntryName] = []
    private(set) var links: [EntryName] = []
    private(set) var directories: [EntryName] = []
    /// The entries that are not installed, with the reasons.
    private(set) var omitted: [(name: EntryName, reason: String)] = []

    /// Reads a directory.
    ///
    /// - Parameters:
    ///   - source: the seed's directory.
    ///   - target: the directory to install it to; nil if it does not exist yet.
    init(_ source: OpenDirectory, target: OpenDirectory?) throws(AppDataError) {
        let names = try source.names()
        var kinds: [EntryName: EntryStatus.Kind] = [:]
        for name in names { kinds[name] = try source.status(of: name)?.kind }
        let present = Set(names)
        var taken: Set<EntryName> = []
        for name in names where kinds[name] == .file {
            guard try Self.isStore(name, source, present, target) else { continue }
            let unit = StoreUnit(name) { present.contains($0) && !taken.contains($0) }
            units.append(unit)
            taken.formUnion(unit.companions + [name])
        }
        for name in names where !taken.contains(name) {
            switch kinds[name] {
            case .file:
                if let store = StoreUnit.store(ofLog: name), !present.contains(store), try Self.isLog(name, source) {
                    omitted.append((name, "a log without its database"))
                } else {
                    files.append(name)
                }
            case .link: links.append(name)
            case .directory:
                if name == StagingArea.name {
                    omitted.append((name, "left by an unfinished installation"))
                } else {
                    directories.append(name)
                }
            default: omitted.append((name, "not a file, directory or link"))
            }
        }
    }

    /// Returns true if a file is a database. One is detected by its first bytes, and an encrypted one by a log beside it, in the seed or in
    /// the target.
    private static func isStore(
        _ name: EntryName, _ source: OpenDirectory, _ present: Set<EntryName>, _ target: OpenDirectory?
    ) throws(AppDataError) -> Bool {
        if try source.start(of: name, StoreUnit.magic.count) == StoreUnit.magic { return true }
        for log in StoreUnit.logs(of: name) {
            if present.contains(log) { return true }
            if let target, try target.status(of: log) != nil { return true }
        }
        return false
    }

    private static func isLog(_ name: EntryName, _ source: OpenDirectory) throws(AppDataError) -> Bool {
        if name.hasSuffix("-shm") { return true }
        return StoreUnit.isLog(try source.start(of: name, 8))
    }
}

/// A SQLite database with the files that belong to it. A log beside a database that it does not belong to corrupts that database.
struct StoreUnit {
    /// The database.
    let store: EntryName
    /// The other files that the seed has: Core Data's external blobs, then the logs.
    let companions: [EntryName]

    static let magic = Array("SQLite format 3\0".utf8)
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// Creates a unit.
    ///
    /// - Parameter isThere: returns true if the seed has an entry of that name beside the database.
    init(_ store: EntryName, _ isThere: (EntryName) -> Bool) {
        self.store = store
        companions = ([Self.support(of: store)] + Self.logs(of: store)).filter(isThere)
    }

    static func logs(of store: EntryName) -> [EntryName] { logSuffixes.map { store.appending($0) } }

    /// Returns the directory of external blobs. Stores with the same stem share it.
    static func support(of store: EntryName) -> EntryName {
        EntryName(bytes: Array(".".utf8) + store.stem.bytes + Array("_SUPPORT".utf8))
    }

    /// Returns the database that a log of this name would belong to; nil if the name isn't one of a log.
    static func store(ofLog name: EntryName) -> EntryName? {
        logSuffixes.first { name.hasSuffix($0) }.map { name.dropping($0) }
    }

    /// Returns true if a file that starts with these bytes is a log, of any database (SQLite file format, sections 3 and 4.1).
    static func isLog(_ start: [UInt8]) -> Bool {
        let magics: [[UInt8]] = [
            [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
        ]
        return magics.contains { start.starts(with: $0) }
    }
}

/// The preferences of a seed: values to set through the preferences API, never files to copy.
struct SeedPreferences {
    private(set) var domains: [(name: String, values: [String: Any])] = []
    /// The entries in `Library/Preferences` that are not preferences of the app.
    private(set) var omitted: [(path: String, reason: String)] = []

    /// Reads the preferences in a container's `Library/Preferences`.
    ///
    /// - Parameter pathPrefix: the prefix of the paths in ``omitted``.
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
