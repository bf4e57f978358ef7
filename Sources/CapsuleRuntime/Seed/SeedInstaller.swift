/// Installs one tree of a seed: the container's or an app group's. It also installs a single database.
final class SeedInstaller {
    /// The tree to install.
    enum Tree: Equatable {
        case home
        case group(String)
        /// Not a tree: a database with the files that belong to it.
        case storeAlone
    }

    let staging: StagingArea
    let source: OpenDirectory
    let target: OpenDirectory
    let tree: Tree

    /// The container's identity. It belongs to the container manager and is never carried over.
    static let identity = ".com.apple.mobile_container_manager.metadata.plist"
    /// The directories of a home that the app may write to.
    private static let homeDirectories: Set<String> = ["Documents", "Library", "tmp"]

    init(_ source: OpenDirectory, _ target: OpenDirectory, _ tree: Tree, _ staging: StagingArea) {
        self.source = source
        self.target = target
        self.tree = tree
        self.staging = staging
    }

    /// Returns the reason why an entry at this path is not installed; nil if it is.
    func omission(of path: String) -> String? {
        guard !path.contains("/") else { return nil }
        if path == Self.identity { return "the container's identity" }
        if tree == .home, !Self.homeDirectories.contains(path) { return "apps can't write there" }
        return nil
    }

    /// Returns true for preferences and groups, which are installed separately.
    func isElsewhere(_ path: String) -> Bool { path == "Library/Preferences" || (tree == .home && path == "AppGroups") }

    /// Returns true for directories that the system makes and whose modes it sets.
    private func isSystems(_ path: String) -> Bool {
        path.isEmpty || !path.contains("/") || path == "Library/Caches"
    }

    static func path(_ path: String, _ name: EntryName) -> String { path.isEmpty ? name.text : "\(path)/\(name.text)" }

    private func shownPath(_ path: String) -> String {
        if case .group(let identifier) = tree { return "AppGroups/\(identifier)/\(path)" }
        return path
    }

    // MARK: Installation

    func install(keepsWhatIsThere: Bool, _ summary: inout AppDataSeed.Summary) throws(AppDataError) {
        try install(source, target, "", keepsWhatIsThere, &summary)
    }

    /// Installs a directory and everything below it. Two directories are open for each level; ``check()`` limits the depth.
    func install(
        _ source: OpenDirectory, _ target: OpenDirectory, _ path: String, _ keeps: Bool, _ summary: inout AppDataSeed.Summary
    ) throws(AppDataError) {
        let content = try SeedDirectory(source, target: target)
        func isInstalled(_ name: EntryName) -> Bool {
            let inner = Self.path(path, name)
            if let reason = omission(of: inner) {
                summary.omitted.append(AppDataSeed.Summary.Omission(path: shownPath(inner), reason: reason))
                return false
            }
            return true
        }
        func isKept(_ name: EntryName) throws(AppDataError) -> Bool {
            guard keeps, try target.status(of: name) != nil else { return false }
            summary.kept.append(shownPath(Self.path(path, name)))
            return true
        }
        for (name, reason) in content.omitted {
            summary.omitted.append(AppDataSeed.Summary.Omission(path: shownPath(Self.path(path, name)), reason: reason))
        }
        for name in content.files where isInstalled(name) {
            if try isKept(name) { continue }
            let staged = staging.freshName()
            summary.bytes += try source.copyFile(name, to: staging.directory, as: staged)
            summary.files += 1
            try staging.putInPlace(staged, target, as: name)
        }
        for name in content.links where isInstalled(name) {
            if try isKept(name) { continue }
            let staged = staging.freshName()
            try source.copyLink(name, to: staging.directory, as: staged)
            summary.links += 1
            try staging.putInPlace(staged, target, as: name)
        }
        var supports: Set<EntryName> = []
        for unit in content.units where isInstalled(unit.store) {
            if try isKept(unit.store) { continue }
            try install(unit, source, target, path, &supports, &summary)
            summary.databases.append(shownPath(Self.path(path, unit.store)))
        }
        for name in content.directories {
            let inner = Self.path(path, name)
            if isElsewhere(inner) || !isInstalled(name) { continue }
            try installDirectory(name, source, target, inner, keeps, &summary)
        }
    }

    /// Installs a directory into the one of the same name, which is made if it is missing.
    func installDirectory(
        _ name: EntryName, _ source: OpenDirectory, _ target: OpenDirectory, _ path: String, _ keeps: Bool,
        _ summary: inout AppDataSeed.Summary
    ) throws(AppDataError) {
        let (place, isNew) = try target.directoryMade(name)
        let content = try source.directory(name)
        try install(content, place, path, keeps, &summary)
        if isNew { summary.directories += 1 }
        guard isNew || !(keeps || isSystems(path)) else { return }
        let mode = try content.status().mode
        if try place.status().mode != mode | 0o700 { try place.setMode(mode) }
    }
}

extension SeedInstaller {
    /// Replaces a database with the files that belong to it.
    ///
    /// Without its main file there is no database: SQLite makes a new one and deletes logs that it finds. So the old main file is removed
    /// first and the new one is installed last. A process that is killed in between leaves no database, and the next installation completes
    /// it.
    ///
    /// External blobs that another store may use stay, and the seed's are added to them before anything is removed: their names are UUIDs,
    /// and an unused one does no harm.
    /// - Parameter supports: the directories of external blobs that this seed has installed already.
    func install(
        _ unit: StoreUnit, _ source: OpenDirectory, _ target: OpenDirectory, _ path: String, _ supports: inout Set<EntryName>,
        _ summary: inout AppDataSeed.Summary
    ) throws(AppDataError) {
        let support = StoreUnit.support(of: unit.store)
        let isShared = try isShared(support, unit.store, target)
        if isShared, !supports.contains(support), try source.status(of: support)?.kind == .directory {
            try installDirectory(support, source, target, Self.path(path, support), true, &summary)
        }
        var staged: [(name: EntryName, staged: EntryName)] = []
        for name in unit.companions + [unit.store] where !(isShared && name == support) {
            let fresh = staging.freshName()
            staged.append((name, fresh))
            if try source.status(of: name)?.kind == .directory {
                let copy = try staging.directory.directoryMade(fresh).directory
                let original = try source.directory(name)
                try install(original, copy, Self.path(path, name), false, &summary)
                try copy.setMode(try original.status().mode)
                summary.directories += 1
            } else {
                summary.bytes += try source.copyFile(name, to: staging.directory, as: fresh)
                summary.files += 1
            }
        }
        var old = [unit.store] + StoreUnit.logs(of: unit.store)
        if !isShared, !supports.contains(support) { old.append(support) }
        supports.insert(support)
        for name in old where try target.status(of: name) != nil { try staging.moveAside(name, from: target) }
        for (name, fresh) in staged { try staging.putInPlace(fresh, target, as: name) }
    }

    /// Returns true if a target has another file that a directory of external blobs would belong to.
    func isShared(_ support: EntryName, _ store: EntryName, _ target: OpenDirectory) throws(AppDataError) -> Bool {
        for name in try target.names() where name != store && StoreUnit.support(of: name) == support {
            if StoreUnit.store(ofLog: name) != store, try target.status(of: name)?.kind != .directory { return true }
        }
        return false
    }
}

extension SeedInstaller {
    /// Finds the errors that can be found before anything is changed.
    func check() throws(AppDataError) { try check(source, target, "") }

    /// The maximum depth of nested directories. Each level takes two descriptors during the installation, and iOS gives an app 256.
    private static let maximumDepth = 64

    /// Checks a directory and everything below it.
    ///
    /// - Parameter target: nil if it does not exist yet.
    private func check(_ source: OpenDirectory, _ target: OpenDirectory?, _ path: String) throws(AppDataError) {
        let content = try SeedDirectory(source, target: target)
        for name in content.files + content.links + content.units.map(\.store) where omission(of: Self.path(path, name)) == nil {
            if let target, try target.status(of: name)?.kind == .directory {
                throw AppDataError(.occupied, target.path(of: name), "is a directory, but the seed has a file or link here")
            }
        }
        for unit in content.units where omission(of: Self.path(path, unit.store)) == nil {
            try check(unit, source, target, path)
        }
        for name in content.directories {
            let inner = Self.path(path, name)
            if isElsewhere(inner) || omission(of: inner) != nil { continue }
            try checkDirectory(name, source, try target?.directoryIfThere(name), inner)
        }
    }

    /// Throws if an entry that belongs to a database is neither a file nor a directory.
    func check(
        _ unit: StoreUnit, _ source: OpenDirectory, _ target: OpenDirectory?, _ path: String
    ) throws(AppDataError) {
        for name in [unit.store] + unit.companions {
            switch try source.status(of: name)?.kind {
            case .file: continue
            case .directory:
                // The directory is replaced as a whole, so nothing can be in the way unless another store may use it.
                var place: OpenDirectory?
                if let target, try isShared(name, unit.store, target) { place = try target.directoryIfThere(name) }
                try checkDirectory(name, source, place, Self.path(path, name))
            default:
                throw AppDataError(
                    .occupied, source.path(of: name),
                    "is not a file, but the database \(unit.store.text) and its logs must be files")
            }
        }
    }

    private func checkDirectory(
        _ name: EntryName, _ source: OpenDirectory, _ target: OpenDirectory?, _ path: String
    ) throws(AppDataError) {
        guard Self.depth(path) <= Self.maximumDepth else {
            throw AppDataError(
                .tooDeep, source.path(of: name),
                "is nested too deep: a seed can have at most \(Self.maximumDepth) levels of directories")
        }
        try check(try source.directory(name), target, path)
    }

    private static func depth(_ path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: "/") } + 1 }

    // MARK: What is there

    /// Returns true if the target has no data of the app.
    func isTargetEmpty() throws(AppDataError) -> Bool {
        guard tree == .home else { return try Self.isEmpty(target, "") }
        for name in ["Documents", "Library"] {
            if let directory = try target.directoryIfThere(EntryName(name)), !(try Self.isEmpty(directory, name)) { return false }
        }
        return true
    }

    /// The entries that the system makes in a container by itself.
    private static let systemNames: Set<String> = [
        identity, StagingArea.name.text, "Library/Caches", "Library/Preferences", "Library/Saved Application State",
        "Library/SplashBoard", "Library/\(StagingArea.name.text)",
    ]

    private static func isEmpty(_ directory: OpenDirectory, _ path: String) throws(AppDataError) -> Bool {
        for name in try directory.names() {
            let inner = Self.path(path, name)
            if systemNames.contains(inner) { continue }
            // Only an app makes directories this deep.
            guard try directory.status(of: name)?.kind == .directory, depth(inner) <= maximumDepth else { return false }
            if !(try isEmpty(try directory.directory(name), inner)) { return false }
        }
        return true
    }
}
