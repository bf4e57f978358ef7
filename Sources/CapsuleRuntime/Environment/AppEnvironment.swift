public import Foundation

/// Where an app's data is, and how it was started: the system's own answers, or a test's.
public struct AppEnvironment: Sendable {
    /// The app's own home directory, with `Documents`, `Library` and `tmp`; nil where the home is a user's.
    public let home: URL?
    /// Where files lie that can be made again.
    public let caches: URL
    /// Which the app's own preferences are; nil for a program without a bundle.
    public let bundleIdentifier: String?
    /// The launch arguments, the program's name first.
    public let arguments: [String]
    /// The preferences.
    public let preferences: any PreferenceDomains
    let group: @Sendable (String) -> URL?
    let isDebug: Bool
    let step: @Sendable () throws(AppDataError) -> Void

    /// An environment of one's own: for tests, and for programs that keep their data where they like.
    ///
    /// - Parameters:
    ///   - home: a directory of the app's own: a reset deletes what is in its `Documents`, `Library` and `tmp`.
    ///   - caches: `Library/Caches` in `home` if nil.
    ///   - bundleIdentifier: which the app's own preferences are.
    ///   - arguments: the launch arguments, the program's name first.
    ///   - preferences: where preferences are read and set.
    ///   - group: the directory of an app group by its identifier; nil if the app has no access to it.
    public init(
        home: URL, caches: URL? = nil, bundleIdentifier: String? = Bundle.main.bundleIdentifier,
        arguments: [String] = ProcessInfo.processInfo.arguments, preferences: any PreferenceDomains = SystemPreferences(),
        group: @escaping @Sendable (String) -> URL? = { _ in nil }
    ) {
        self.init(
            home: home, caches: caches ?? home.appendingPathComponent("Library/Caches"), bundleIdentifier: bundleIdentifier,
            arguments: arguments, preferences: preferences, isDebug: Self.isDebugBuild, group: group)
    }

    package init(
        home: URL?, caches: URL, bundleIdentifier: String?, arguments: [String], preferences: any PreferenceDomains,
        isDebug: Bool, step: @escaping @Sendable () throws(AppDataError) -> Void = {},
        group: @escaping @Sendable (String) -> URL?
    ) {
        self.home = home
        self.caches = caches
        self.bundleIdentifier = bundleIdentifier
        self.arguments = arguments
        self.preferences = preferences
        self.isDebug = isDebug
        self.step = step
        self.group = group
    }

    /// The system's. On a Mac, an app without a sandbox has no home of its own here: it is the user's.
    public static var current: AppEnvironment {
        AppEnvironment(
            home: isContained ? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true) : nil,
            caches: FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
                ?? FileManager.default.temporaryDirectory,
            bundleIdentifier: Bundle.main.bundleIdentifier, arguments: ProcessInfo.processInfo.arguments,
            preferences: SystemPreferences(), isDebug: isDebugBuild, group: systemGroup)
    }

    /// Whether the process lives in a container.
    private static var isContained: Bool {
        #if os(macOS) || targetEnvironment(macCatalyst)
        ProcessInfo.processInfo.environment["APP_SANDBOX_CONTAINER_ID"] != nil
        #elseif canImport(Darwin)
        true
        #else
        false
        #endif
    }

    @Sendable private static func systemGroup(_ identifier: String) -> URL? {
        #if canImport(Darwin)
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)
        #else
        nil
        #endif
    }

    static let isDebugBuild: Bool = {
        #if DEBUG
        true
        #else
        false
        #endif
    }()

    // MARK: Directories

    /// - Throws: ``AppDataError/Code-swift.struct/notAContainer`` where the home is a user's.
    func openHome() throws(AppDataError) -> OpenDirectory {
        guard let home else {
            throw AppDataError(
                .notAContainer, NSHomeDirectory(), "is a user's home directory, not an app's container")
        }
        return try OpenDirectory.top(home)
    }

    /// The home's `Library`, made where no system has done it. An app on iOS must not make anything in its home itself.
    static func openLibrary(of home: OpenDirectory) throws(AppDataError) -> OpenDirectory {
        let (library, isNew) = try home.directoryMade(EntryName("Library"))
        if isNew { try library.setMode(0o755) }
        return library
    }

    /// - Throws: ``AppDataError/Code-swift.struct/noGroup`` for a group that the app has no access to.
    func openGroup(_ identifier: String) throws(AppDataError) -> OpenDirectory {
        guard let url = group(identifier) else {
            throw AppDataError(
                .noGroup, identifier, "the app has no access to this app group; add it to the app's entitlements")
        }
        return try OpenDirectory.top(url)
    }
}

/// Where an app's preferences are: the one way to them, since a file that is copied loses against the daemon that has them.
public protocol PreferenceDomains: Sendable {
    /// What a domain has; nil or nothing if there is none.
    func values(ofDomain name: String) -> [String: Any]?

    /// Makes a domain have these values and no others.
    func setValues(_ values: [String: Any], ofDomain name: String)

    /// Removes a domain's values.
    func removeDomain(_ name: String)
}

/// The system's preferences, through UserDefaults.
public struct SystemPreferences: PreferenceDomains {
    /// Those of this process.
    public init() {}

    /// `persistentDomain(forName:)`.
    public func values(ofDomain name: String) -> [String: Any]? {
        UserDefaults.standard.persistentDomain(forName: name)
    }

    /// `setPersistentDomain(_:forName:)`.
    public func setValues(_ values: [String: Any], ofDomain name: String) {
        UserDefaults.standard.setPersistentDomain(values, forName: name)
        // Else a process that is killed soon, as a test's app is, loses them where nothing else keeps them.
        UserDefaults.standard.synchronize()
    }

    /// `removePersistentDomain(forName:)`.
    public func removeDomain(_ name: String) {
        UserDefaults.standard.removePersistentDomain(forName: name)
        UserDefaults.standard.synchronize()
    }
}
