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

/// What a directory of a seed holds, sorted by how it is installed.
struct SeedDirectory {
    private(set) var units: [StoreUnit] = []
    private(set) var files: [EntryName] = []
    private(set) var links: [EntryName] = []
    private(set) var directories: [EntryName] = []
    /// What is not installed, and why.
    private(set) var omitted: [(name: EntryName, reason: String)] = []

    /// - Parameters:
    ///   - source: the seed's directory.
    ///   - target: where it goes; nil if that is not there yet.
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

    /// A database by its first bytes; an encrypted one by a log beside it, here or where it goes.
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

/// The files that are one with a SQLite database: a log beside a database that it does not belong to ruins that.
struct StoreUnit {
    /// The database.
    let store: EntryName
    /// What the seed has of the rest: Core Data's external blobs, then the logs.
    let companions: [EntryName]

    static let magic = Array("SQLite format 3\0".utf8)
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// - Parameter isThere: whether the seed has an entry of that name beside the database.
    init(_ store: EntryName, _ isThere: (EntryName) -> Bool) {
        self.store = store
        companions = ([Self.support(of: store)] + Self.logs(of: store)).filter(isThere)
    }

    static func logs(of store: EntryName) -> [EntryName] { logSuffixes.map { store.appending($0) } }

    /// The directory of external blobs, which stores of one stem share.
    static func support(of store: EntryName) -> EntryName {
        EntryName(bytes: Array(".".utf8) + store.stem.bytes + Array("_SUPPORT".utf8))
    }

    /// The database that an entry would be a log of.
    static func store(ofLog name: EntryName) -> EntryName? {
        logSuffixes.first { name.hasSuffix($0) }.map { name.dropping($0) }
    }

    /// Whether a file with this start is a log, whatever its database is (SQLite file format, sections 3 and 4.1).
    static func isLog(_ start: [UInt8]) -> Bool {
        let magics: [[UInt8]] = [
            [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
        ]
        return magics.contains { start.starts(with: $0) }
    }
}

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
