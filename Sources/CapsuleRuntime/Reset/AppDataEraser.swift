/// Deletes what is in a container's directories, and leaves the directories, which the system made, and identity and
/// preferences, which it keeps.
struct AppDataEraser {
    private let top: OpenDirectory
    private let staging: StagingArea
    /// What stands before the paths that are told.
    private let pathPrefix: String

    init(home environment: AppEnvironment) throws(AppDataError) {
        top = try environment.openHome()
        let library = try AppEnvironment.openLibrary(of: top)
        staging = try StagingArea(in: library, step: environment.step)
        pathPrefix = ""
    }

    init(group identifier: String, _ environment: AppEnvironment) throws(AppDataError) {
        top = try environment.openGroup(identifier)
        staging = try StagingArea(in: top, step: environment.step)
        pathPrefix = "AppGroups/\(identifier)/"
    }

    func eraseFiles(_ summary: inout AppDataReset.Summary) throws(AppDataError) {
        for name in ["Documents", "tmp"] { try erase(EntryName(name), in: top, name, keeping: [], &summary) }
        try eraseLibrary(&summary)
        try staging.finish()
    }

    func eraseSceneSessions(_ summary: inout AppDataReset.Summary) throws(AppDataError) {
        if let library = try top.directoryIfThere(EntryName("Library")) {
            let name = "Saved Application State"
            try erase(EntryName(name), in: library, "Library/\(name)", keeping: [], &summary)
        }
        // The app's data stays, and with it what a seed's installation left unfinished.
        try staging.empty()
    }

    func eraseGroup(_ summary: inout AppDataReset.Summary) throws(AppDataError) {
        try erase(top, "", keeping: [SeedInstaller.identity, "Library"], &summary)
        try eraseLibrary(&summary)
        try staging.finish()
    }

    /// What an app expects to be there at its first launch stays, empty.
    private func eraseLibrary(_ summary: inout AppDataReset.Summary) throws(AppDataError) {
        guard let library = try top.directoryIfThere(EntryName("Library")) else { return }
        let kept: Set<String> = ["Caches", "Preferences", "Saved Application State", "SplashBoard"]
        try erase(EntryName("Caches"), in: library, "Library/Caches", keeping: [], &summary)
        try erase(library, "Library", keeping: kept, &summary)
    }

    private func erase(
        _ name: EntryName, in parent: OpenDirectory, _ path: String, keeping kept: Set<String>,
        _ summary: inout AppDataReset.Summary
    ) throws(AppDataError) {
        guard let directory = try parent.directoryIfThere(name) else { return }
        try erase(directory, path, keeping: kept, &summary)
    }

    private func erase(
        _ directory: OpenDirectory, _ path: String, keeping kept: Set<String>, _ summary: inout AppDataReset.Summary
    ) throws(AppDataError) {
        // By bytes a database comes before its logs; the directory of its external blobs would come before it.
        let names = try directory.names().filter { $0 != StagingArea.name && !kept.contains($0.text) }
        let isSupport = { (name: EntryName) in name.bytes.first == UInt8(ascii: ".") && name.hasSuffix("_SUPPORT") }
        for name in names.filter({ !isSupport($0) }) + names.filter(isSupport) {
            try staging.takeAway(name, from: directory)
            summary.deleted.append(pathPrefix + (path.isEmpty ? name.text : "\(path)/\(name.text)"))
        }
    }
}
