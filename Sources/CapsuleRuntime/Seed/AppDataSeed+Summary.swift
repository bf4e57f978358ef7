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
