public import Foundation

/// A SQLite store in a bundle, for previews. It is copied to a place where it can be opened, with the rows that are still in its log.
///
///     let store = try PreviewStore(named: "Model").url()
///     let configuration = ModelConfiguration(url: store)          // or NSPersistentStoreDescription(url: store)
public struct PreviewStore: Sendable {
    /// The treatment of a copy from an earlier preview.
    public enum Policy: Hashable, Sendable, CaseIterable {
        /// It is replaced by a new copy.
        case always
        /// It is used as it is.
        case ifAbsent
    }

    /// The store in the bundle. It is never opened.
    public let source: URL

    /// Finds a store in a bundle's resources: `NAME.EXTENSION`, with `-wal`, `-shm` and `.NAME_SUPPORT` beside it if they exist.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/missing``.
    public init(named name: String, withExtension suffix: String = "sqlite", in bundle: Bundle = .main) throws(AppDataError) {
        let file = suffix.isEmpty ? name : "\(name).\(suffix)"
        let resources = bundle.resourceURL ?? bundle.bundleURL
        source = resources.appendingPathComponent(file)
        guard FileManager.default.fileExists(atPath: source.path) else {
            throw AppDataError(.missing, file, "no store with this name in \(resources.path)")
        }
    }

    /// Copies the store to the caches directory, as the policy says, and returns the URL of the copy.
    ///
    /// Call it once, before the store is opened: `always` replaces the files even of an open store.
    public func url(policy: Policy = .always, in environment: AppEnvironment = .current) throws(AppDataError) -> URL {
        let store = EntryName(source.lastPathComponent)
        let place = environment.caches.appendingPathComponent(environment.bundleIdentifier ?? "CapsuleRuntime")
            .appendingPathComponent("PreviewStores")
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        } catch {
            throw AppDataError(.system, place.path, "cannot create: \(error.localizedDescription)")
        }
        // The directory has the store's full name, because stores with the same stem use the same directory for external blobs.
        let directory = try OpenDirectory.top(place).directoryMade(store).directory
        let copy = place.appendingPathComponent(store.text).appendingPathComponent(store.text)
        if policy == .ifAbsent, try directory.status(of: store) != nil { return copy }

        let bundle = try OpenDirectory.top(source.deletingLastPathComponent())
        let names = Set(try bundle.names())
        let unit = StoreUnit(store, names.contains)
        let staging = try StagingArea(in: directory, step: environment.step)
        let installer = SeedInstaller(bundle, directory, .storeAlone, staging)
        try installer.check(unit, bundle, directory, "")
        var supports: Set<EntryName> = []
        var summary = AppDataSeed.Summary()
        try installer.install(unit, bundle, directory, "", &supports, &summary)
        try staging.finish()
        return copy
    }
}
