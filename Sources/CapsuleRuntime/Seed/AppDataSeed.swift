public import Foundation

/// Data that an app starts with: a container that `capsule unpack` or a build phase put into the app's bundle.
///
/// Call ``install(policy:in:)`` before anything opens a file, first in `App.init` or before `UIApplicationMain`.
public struct AppDataSeed: Sendable {
    /// The treatment of existing data.
    public enum Policy: String, Hashable, Sendable, CaseIterable {
        /// The seed's entries replace those with the same name; all others stay.
        case always
        /// Existing data stays. Only missing files, complete databases and keys of preferences are installed.
        case ifAbsent
        /// Nothing is installed if the app has any data: a file in its home or groups, not counting `tmp` and the entries that the system
        /// makes in `Library` by itself. An installation of this seed that was interrupted is completed, whatever its policy was.
        case ifEmpty
    }

    /// The directory that the seed is read from.
    public let url: URL

    /// Finds a seed in a bundle's resources: the directory `NAME.xcappdata`, or one called NAME, as `capsule unpack` writes them.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/missing``.
    public init(named name: String, in bundle: Bundle = .main) throws(AppDataError) {
        url = try SeedSource.find(name, in: bundle)
    }

    /// Creates a seed from any directory: a bundle (`.xcappdata`) or the contents of its `AppData`.
    public init(at url: URL) {
        self.url = url
    }

    /// Copies the seed into the app's home directory and app groups.
    ///
    /// Each file or link appears complete, in one step. A SQLite database is replaced together with its logs and external blobs: if the
    /// process is killed meanwhile, there is the old database, the new one or none, never a part. Preferences are set through
    /// ``AppEnvironment/preferences``. Only `Documents`, `Library` and `tmp` of the home are written; the rest belongs to the system. Links
    /// in the home are not followed.
    ///
    /// - Returns: a summary of the installation.
    /// - Throws: before anything is changed, for a home directory that is not a container, groups without access, links or files in place
    ///   of directories, preferences that can't be read, a seed whose databases have links for logs, and one with more than 64 levels of
    ///   directories; later, if a system call fails.
    @discardableResult
    public func install(policy: Policy, in environment: AppEnvironment = .current) throws(AppDataError) -> Summary {
        let source = try SeedSource(url)
        // Independent of the policy, so that any installation of this seed completes one that was interrupted.
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
        // The mark of another seed's unfinished installation stays.
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
    /// The result of an installation.
    public struct Summary: Hashable, Sendable {
        /// A part of the seed that was not installed.
        public struct Omission: Hashable, Sendable {
            /// The path in the container; for app groups, `AppGroups/ID/…`.
            public let path: String
            /// The reason in lower case, without a period.
            public let reason: String
        }

        /// True if the seed was installed; false if the policy is ``Policy/ifEmpty`` and the app has data.
        public internal(set) var isInstalled = false
        /// The number of installed files, including those of databases.
        public internal(set) var files = 0
        /// The total size of these files in bytes.
        public internal(set) var bytes = 0
        /// The number of installed symbolic links.
        public internal(set) var links = 0
        /// The number of directories that did not exist before.
        public internal(set) var directories = 0
        /// The paths of the installed databases, without their logs.
        public internal(set) var databases: [String] = []
        /// The preference domains whose values were set.
        public internal(set) var preferenceDomains: [String] = []
        /// The paths that already existed and were kept.
        public internal(set) var kept: [String] = []
        /// The parts of the seed that an app can't or must not install.
        public internal(set) var omitted: [Omission] = []
    }
}

extension AppDataSeed.Summary: CustomStringConvertible {
    /// The summary in one line: `installed 12 files (34567 bytes), with 1 database, 1 link, 2 new directories`.
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
