public import Foundation

/// Data that an app starts with: a container that `capsule unpack` or a build phase put into the app's bundle.
///
/// Call ``install(policy:in:)`` before anything opens a file, first in `App.init` or before `UIApplicationMain`.
public struct AppDataSeed: Sendable {
    /// What becomes of data that is there already.
    public enum Policy: String, Hashable, Sendable, CaseIterable {
        /// The seed's entries replace those of the same name; others stay.
        case always
        /// What is there stays; only what is not there is installed: files, whole databases, keys of preferences.
        case ifAbsent
        /// Nothing is installed if the app has any data: a file in its home or groups, but for `tmp` and for what the system
        /// puts into `Library` by itself. An installation of this seed that was ended from outside is completed, whatever its policy.
        case ifEmpty
    }

    /// The directory that it is read from.
    public let url: URL

    /// A bundle's resource: the directory `NAME.xcappdata`, or one called NAME, as `capsule unpack` writes them.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/missing``.
    public init(named name: String, in bundle: Bundle = .main) throws(AppDataError) {
        url = try SeedSource.find(name, in: bundle)
    }

    /// Any directory: a bundle (`.xcappdata`) or what is in its `AppData`.
    public init(at url: URL) {
        self.url = url
    }

    /// Copies the seed into the app's home directory and app groups.
    ///
    /// Files and links appear whole, each at once. A SQLite database is replaced together with its logs and external blobs: if the
    /// process is killed meanwhile, there is the old one, the new one or none, never a part. Preferences are set through
    /// ``AppEnvironment/preferences``. Of the home only `Documents`, `Library` and `tmp` are written: the rest is the system's. No link
    /// in the home is followed.
    ///
    /// - Returns: what was done, file by file where it matters.
    /// - Throws: before anything is changed, for a home that is none, groups without access, links or files in the way of
    ///   directories, preferences that do not read, a seed whose databases have links for logs, and one that is deeper than 64
    ///   directories; later, for what the system refuses.
    @discardableResult
    public func install(policy: Policy, in environment: AppEnvironment = .current) throws(AppDataError) -> Summary {
        let source = try SeedSource(url)
        // Without the policy: what one began, any other completes.
        let key = Array(url.lastPathComponent.utf8)
        var preferences = SeedPreferences()
        var installers: [SeedInstaller] = []
        let home = try environment.openHome()
        let container = try OpenDirectory.top(source.container)
        try preferences.read(container, pathPrefix: "")
        let library = try AppEnvironment.openLibrary(of: home)
        installers.append(SeedInstaller(container, home, .home, try StagingArea(in: library, step: environment.step)))
        for group in source.groups {
            let target = try environment.openGroup(group.identifier)
            let directory = try OpenDirectory.top(group.url)
            try preferences.read(directory, pathPrefix: "AppGroups/\(group.identifier)/")
            let staging = try StagingArea(in: target, step: environment.step)
            installers.append(SeedInstaller(directory, target, .group(group.identifier), staging))
        }
        let isUnfinished = installers.contains { $0.staging.unfinished == key }
        var summary = Summary()
        var isWanted = policy != .ifEmpty || isUnfinished
        if !isWanted { isWanted = try Self.areEmpty(installers) }
        // What is unfinished of another seed stays marked.
        guard isWanted else { return summary }
        for installer in installers { try installer.check() }
        for installer in installers { try installer.staging.begin(key) }
        for installer in installers { try installer.install(keepsWhatIsThere: policy != .always, &summary) }
        install(preferences, keepsWhatIsThere: policy != .always, environment, &summary)
        summary.isInstalled = true
        for installer in installers { try installer.staging.finish() }
        return summary
    }

    private static func areEmpty(_ installers: [SeedInstaller]) throws(AppDataError) -> Bool {
        for installer in installers where !(try installer.isTargetEmpty()) { return false }
        return true
    }

    private func install(
        _ preferences: SeedPreferences, keepsWhatIsThere: Bool, _ environment: AppEnvironment, _ summary: inout Summary
    ) {
        for (name, values) in preferences.domains {
            let old = keepsWhatIsThere ? environment.preferences.values(ofDomain: name) ?? [:] : [:]
            environment.preferences.setValues(values.merging(old) { _, old in old }, ofDomain: name)
            summary.preferenceDomains.append(name)
        }
        for (path, reason) in preferences.omitted { summary.omitted.append(Summary.Omission(path: path, reason: reason)) }
    }
}

extension AppDataSeed {
    /// What an installation did.
    public struct Summary: Hashable, Sendable {
        /// A part of the seed that was not installed.
        public struct Omission: Hashable, Sendable {
            /// In the container; of app groups `AppGroups/ID/…`.
            public let path: String
            /// Lower case, no period.
            public let reason: String
        }

        /// Whether anything was to be installed: not with ``Policy/ifEmpty`` where the app has data.
        public internal(set) var isInstalled = false
        /// Files, those of databases included.
        public internal(set) var files = 0
        /// What the files have, in bytes.
        public internal(set) var bytes = 0
        /// Symbolic links.
        public internal(set) var links = 0
        /// Directories that were not there before.
        public internal(set) var directories = 0
        /// Databases, each with its logs.
        public internal(set) var databases: [String] = []
        /// Domains of preferences whose values were set.
        public internal(set) var preferenceDomains: [String] = []
        /// What stayed as it was since it was there.
        public internal(set) var kept: [String] = []
        /// What an app can't or must not install.
        public internal(set) var omitted: [Omission] = []
    }
}

extension AppDataSeed.Summary: CustomStringConvertible {
    /// One line: `installed 12 files (34567 bytes), with 1 database, 1 link, 2 new directories`.
    public var description: String {
        guard isInstalled else { return "nothing installed: the app has data" }
        var parts = ["\(Self.count(files, "file", "files")) (\(Self.count(bytes, "byte", "bytes")))"]
        if !databases.isEmpty { parts.append("with \(Self.count(databases.count, "database", "databases"))") }
        if links > 0 { parts.append(Self.count(links, "link", "links")) }
        if directories > 0 { parts.append(Self.count(directories, "new directory", "new directories")) }
        if !preferenceDomains.isEmpty {
            parts.append("preferences of \(Self.count(preferenceDomains.count, "domain", "domains"))")
        }
        if !kept.isEmpty { parts.append("\(kept.count) kept") }
        if !omitted.isEmpty { parts.append("\(omitted.count) left out") }
        return "installed " + parts.joined(separator: ", ")
    }

    private static func count(_ number: Int, _ one: String, _ more: String) -> String { "\(number) \(number == 1 ? one : more)" }
}
