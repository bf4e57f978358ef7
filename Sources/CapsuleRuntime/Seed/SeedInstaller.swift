/// Installs one tree of a seed: the container's, or an app group's; or a single database.
final class SeedInstaller {
    /// Which tree it is.
    enum Tree: Equatable {
        case home
        case group(String)
        /// No tree: a database and what is one with it.
        case storeAlone
    }

    let staging: StagingArea
    let source: OpenDirectory
    let target: OpenDirectory
    let tree: Tree

    /// Whose container it is: the container manager's own, which nobody carries over.
    static let identity = ".com.apple.mobile_container_manager.metadata.plist"
    /// What of a home is the app's to write.
    private static let homeDirectories: Set<String> = ["Documents", "Library", "tmp"]

    init(_ source: OpenDirectory, _ target: OpenDirectory, _ tree: Tree, _ staging: StagingArea) {
        self.source = source
        self.target = target
        self.tree = tree
        self.staging = staging
    }

    /// Why an entry at this path is not installed; nil if it is.
    func omission(of path: String) -> String? {
        guard !path.contains("/") else { return nil }
        if path == Self.identity { return "the container's identity" }
        if tree == .home, !Self.homeDirectories.contains(path) { return "apps can't write there" }
        return nil
    }

    /// Preferences and groups, which have ways of their own.
    func isElsewhere(_ path: String) -> Bool { path == "Library/Preferences" || (tree == .home && path == "AppGroups") }

    /// Directories that the system made, and whose modes are its own.
    private func isSystems(_ path: String) -> Bool {
        path.isEmpty || !path.contains("/") || path == "Library/Caches"
    }

    static func path(_ path: String, _ name: EntryName) -> String { path.isEmpty ? name.text : "\(path)/\(name.text)" }

    private func told(_ path: String) -> String {
        if case .group(let identifier) = tree { return "AppGroups/\(identifier)/\(path)" }
        return path
    }

    // MARK: Installation

    func install(keepsWhatIsThere: Bool, _ summary: inout AppDataSeed.Summary) throws(AppDataError) {
        try install(source, target, "", keepsWhatIsThere, &summary)
    }

    /// Keeps two directories open for each level: ``check()`` bounds the depth.
    func install(
        _ source: OpenDirectory, _ target: OpenDirectory, _ path: String, _ keeps: Bool, _ summary: inout AppDataSeed.Summary
    ) throws(AppDataError) {
        let content = try SeedDirectory(source, target: target)
        func isInstalled(_ name: EntryName) -> Bool {
            let inner = Self.path(path, name)
            if let reason = omission(of: inner) {
                summary.omitted.append(AppDataSeed.Summary.Omission(path: told(inner), reason: reason))
                return false
            }
            return true
        }
        func isKept(_ name: EntryName) throws(AppDataError) -> Bool {
            guard keeps, try target.status(of: name) != nil else { return false }
            summary.kept.append(told(Self.path(path, name)))
            return true
        }
        for (name, reason) in content.omitted {
            summary.omitted.append(AppDataSeed.Summary.Omission(path: told(Self.path(path, name)), reason: reason))
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
            summary.databases.append(told(Self.path(path, unit.store)))
        }
        for name in content.directories {
            let inner = Self.path(path, name)
            if isElsewhere(inner) || !isInstalled(name) { continue }
            try installDirectory(name, source, target, inner, keeps, &summary)
        }
    }

    /// Puts what a directory has into the one of the same name, which is made if it is not there.
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
