extension SeedInstaller {
    /// Refuses what can be refused before anything is changed.
    func check() throws(AppDataError) { try check(source, target, "") }

    /// How many directories may lie in each other. Each takes two descriptors while it is installed, and iOS gives an app 256.
    private static let maximumDepth = 64

    /// - Parameter target: nil if it is not there yet.
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

    /// Refuses a database with something beside it that is neither a file nor a directory.
    func check(
        _ unit: StoreUnit, _ source: OpenDirectory, _ target: OpenDirectory?, _ path: String
    ) throws(AppDataError) {
        for name in [unit.store] + unit.companions {
            switch try source.status(of: name)?.kind {
            case .file: continue
            case .directory:
                // It is replaced as a whole, so that nothing can be in the way; unless another store has a share in it.
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

    /// Whether the target has nothing of the app's.
    func isTargetEmpty() throws(AppDataError) -> Bool {
        guard tree == .home else { return try Self.isEmpty(target, "") }
        for name in ["Documents", "Library"] {
            if let directory = try target.directoryIfThere(EntryName(name)), !(try Self.isEmpty(directory, name)) { return false }
        }
        return true
    }

    /// What the system puts into a container without any doing of the app.
    private static let systemNames: Set<String> = [
        identity, StagingArea.name.text, "Library/Caches", "Library/Preferences", "Library/Saved Application State",
        "Library/SplashBoard", "Library/\(StagingArea.name.text)",
    ]

    private static func isEmpty(_ directory: OpenDirectory, _ path: String) throws(AppDataError) -> Bool {
        for name in try directory.names() {
            let inner = Self.path(path, name)
            if systemNames.contains(inner) { continue }
            // Nothing but the app makes directories as deep as that.
            guard try directory.status(of: name)?.kind == .directory, depth(inner) <= maximumDepth else { return false }
            if !(try isEmpty(try directory.directory(name), inner)) { return false }
        }
        return true
    }
}
