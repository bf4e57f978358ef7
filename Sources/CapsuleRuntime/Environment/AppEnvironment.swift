public import Foundation

/// The location of an app's data and the way the app was started: as the system reports them, or as a test sets them.
public struct AppEnvironment: Sendable {
    /// The app's own home directory, with `Documents`, `Library` and `tmp`; nil if the home directory belongs to a user.
    public let home: URL?
    /// The directory for files that can be made again.
    public let caches: URL
    /// The domain of the app's own preferences; nil for a program without a bundle.
    public let bundleIdentifier: String?
    /// The launch arguments, the program's name first.
    public let arguments: [String]
    /// The preferences.
    public let preferences: any PreferenceDomains
    let group: @Sendable (String) -> URL?
    let isDebug: Bool
    let step: @Sendable () throws(AppDataError) -> Void

    /// Creates an environment, for tests and for programs that keep their data in a place of their own.
    ///
    /// - Parameters:
    ///   - home: a directory of the app's own: a reset deletes everything in its `Documents`, `Library` and `tmp`.
    ///   - caches: `Library/Caches` in `home` if nil.
    ///   - bundleIdentifier: the domain of the app's own preferences.
    ///   - arguments: the launch arguments, the program's name first.
    ///   - preferences: reads and sets preferences.
    ///   - group: returns the directory of an app group by its identifier; nil if the app has no access to it.
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

    /// The environment that the system reports. On a Mac, an app without a sandbox has no home directory here, since its home is the
    /// user's.
    public static var current: AppEnvironment {
        AppEnvironment(
            home: isContained ? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true) : nil,
            caches: FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
                ?? FileManager.default.temporaryDirectory,
            bundleIdentifier: Bundle.main.bundleIdentifier, arguments: ProcessInfo.processInfo.arguments,
            preferences: SystemPreferences(), isDebug: isDebugBuild, group: systemGroup)
    }

    /// True if the process runs in a container.
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

    /// Opens the app's home directory.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/notAContainer`` if the home directory belongs to a user.
    func openHome() throws(AppDataError) -> OpenDirectory {
        guard let home else {
            throw AppDataError(.notAContainer, NSHomeDirectory(), "is a user's home directory, not an app's container")
        }
        return try OpenDirectory.top(home)
    }

    /// Opens the home's `Library`, and makes it if the system has not. On iOS it always exists, and an app must not make anything in its
    /// home itself.
    static func openLibrary(of home: OpenDirectory) throws(AppDataError) -> OpenDirectory {
        let (library, isNew) = try home.directoryMade(EntryName("Library"))
        if isNew { try library.setMode(0o755) }
        return library
    }

    /// Opens the directory of an app group.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/noGroup`` for a group that the app has no access to.
    func openGroup(_ identifier: String) throws(AppDataError) -> OpenDirectory {
        guard let url = group(identifier) else {
            throw AppDataError(.noGroup, identifier, "the app has no access to this app group; add it to the app's entitlements")
        }
        return try OpenDirectory.top(url)
    }
}

/// Reads and sets an app's preferences. Files must not be used for this: the preferences daemon overwrites a file that is copied.
public protocol PreferenceDomains: Sendable {
    /// Returns the values of a domain; nil or an empty dictionary if there are none.
    func values(ofDomain name: String) -> [String: Any]?

    /// Replaces all values of a domain.
    func setValues(_ values: [String: Any], ofDomain name: String)

    /// Removes a domain's values.
    func removeDomain(_ name: String)
}

/// The system's preferences, through UserDefaults.
public struct SystemPreferences: PreferenceDomains {
    /// Creates access to the preferences of this process.
    public init() {}

    /// Returns the values of a domain: `persistentDomain(forName:)`.
    public func values(ofDomain name: String) -> [String: Any]? {
        UserDefaults.standard.persistentDomain(forName: name)
    }

    /// Replaces all values of a domain: `setPersistentDomain(_:forName:)`.
    public func setValues(_ values: [String: Any], ofDomain name: String) {
        UserDefaults.standard.setPersistentDomain(values, forName: name)
        // Otherwise, a process that is killed soon, such as an app under test, could lose the values.
        UserDefaults.standard.synchronize()
    }

    /// Removes a domain's values: `removePersistentDomain(forName:)`.
    public func removeDomain(_ name: String) {
        UserDefaults.standard.removePersistentDomain(forName: name)
        UserDefaults.standard.synchronize()
    }
}
