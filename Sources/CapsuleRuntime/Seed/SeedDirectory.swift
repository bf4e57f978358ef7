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
