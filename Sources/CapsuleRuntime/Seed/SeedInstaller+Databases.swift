extension SeedInstaller {
    /// Replaces a database and all that is one with it.
    ///
    /// Without its main file there is no database: SQLite makes a new one and deletes logs that it finds. So the old main file goes
    /// first and the new one comes last, and a process that is killed between leaves none, which the next installation completes.
    ///
    /// External blobs that another store has a share in stay, and the seed's come beside them, before anything goes: their names are
    /// UUIDs, and one that nobody refers to does no harm.
    /// - Parameter supports: directories of external blobs that are there already from this seed.
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
        for name in old where try target.status(of: name) != nil { try staging.takeAway(name, from: target) }
        for (name, fresh) in staged { try staging.putInPlace(fresh, target, as: name) }
    }

    /// Whether a target has another file that a directory of external blobs would belong to.
    func isShared(_ support: EntryName, _ store: EntryName, _ target: OpenDirectory) throws(AppDataError) -> Bool {
        for name in try target.names() where name != store && StoreUnit.support(of: name) == support {
            if StoreUnit.store(ofLog: name) != store, try target.status(of: name)?.kind != .directory { return true }
        }
        return false
    }
}
