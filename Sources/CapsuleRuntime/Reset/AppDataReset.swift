import Foundation

/// Makes an app's data what it was before its first launch, for a UI test that wants to begin there.
///
///     try AppDataReset.perform([.files, .defaults, .groups(["group.com.example.gifs"]), .sceneSessions])
///
/// Call it before anything opens a file, first in `App.init` or before `UIApplicationMain`: it does something only if the
/// launch arguments have `--ResetData`.
public enum AppDataReset {
    /// What is reset.
    public enum Part: Hashable, Sendable {
        /// What is in `Documents`, `Library` and `tmp`, but for preferences, scene sessions and the system's `SplashBoard`.
        case files
        /// Preferences: the app's own, and those of every suite that has a file in `Library/Preferences`.
        case defaults
        /// Files and preferences of app groups, by their identifiers.
        case groups([String])
        /// `Library/Saved Application State`: iOS then asks the app for its scene configuration, and does not restore a cached one.
        case sceneSessions
        #if canImport(Security)
        /// Everything in the keychain that the app has access to, shared items of its access groups included.
        case keychain
        #endif
        #if canImport(UIKit) && !os(watchOS)
        /// The icon's badge and its quick actions, as soon as the app has launched.
        case applicationProperties
        #endif
    }

    /// When something is done.
    public enum Trigger: Hashable, Sendable {
        /// If the launch arguments have `--ResetData`.
        case launchArgument
        /// At each call.
        case always
    }

    /// The launch argument: `app.launchArguments.append("--ResetData")`.
    public static let launchArgument = "--ResetData"

    /// Resets what is listed, in that order.
    ///
    /// Nothing is deleted through a link. A database goes before its logs, and what is deleted first leaves its place: a process that
    /// is killed meanwhile leaves no database without its log.
    ///
    /// - Parameters:
    ///   - parts: what is reset.
    ///   - trigger: whether it takes the launch argument.
    ///   - isForced: also in a build without DEBUG, where it is otherwise refused.
    ///   - environment: where the app's data is.
    /// - Returns: what was done; nil if nobody has asked.
    /// - Throws: ``AppDataError``, with the path of what could not be deleted.
    @discardableResult
    public static func perform(
        _ parts: [Part], when trigger: Trigger = .launchArgument, isForced: Bool = false,
        in environment: AppEnvironment = .current
    ) throws(AppDataError) -> Summary? {
        guard trigger == .always || environment.arguments.dropFirst().contains(launchArgument) else { return nil }
        guard environment.isDebug || isForced else {
            throw AppDataError(
                .notDebug, environment.home?.path ?? "the app's data",
                "was not reset: the build is not a DEBUG build, so this may be a user's data")
        }
        var summary = Summary()
        for part in parts { try perform(part, environment, &summary) }
        return summary
    }

    private static func perform(
        _ part: Part, _ environment: AppEnvironment, _ summary: inout Summary
    ) throws(AppDataError) {
        switch part {
        case .files: try AppDataEraser(home: environment).eraseFiles(&summary)
        case .sceneSessions: try AppDataEraser(home: environment).eraseSceneSessions(&summary)
        case .defaults: try resetDefaults(environment, &summary)
        case .groups(let identifiers):
            for identifier in identifiers {
                try AppDataEraser(group: identifier, environment).eraseGroup(&summary)
                reset(identifier, environment, &summary)
            }
        #if canImport(Security)
        case .keychain: try resetKeychain()
        #endif
        #if canImport(UIKit) && !os(watchOS)
        case .applicationProperties: resetApplicationProperties()
        #endif
        }
    }

    private static func resetDefaults(_ environment: AppEnvironment, _ summary: inout Summary) throws(AppDataError) {
        var names: Set<String> = []
        if let own = environment.bundleIdentifier { names.insert(own) }
        let home = try environment.openHome()
        if let library = try home.directoryIfThere(EntryName("Library")),
            let preferences = try library.directoryIfThere(EntryName("Preferences"))
        {
            for name in try preferences.names() where name.hasSuffix(".plist") && !name.isSystemPreferences {
                names.insert(name.dropping(".plist").text)
            }
        }
        for name in names.sorted() { reset(name, environment, &summary) }
    }

    private static func reset(_ domain: String, _ environment: AppEnvironment, _ summary: inout Summary) {
        environment.preferences.removeDomain(domain)
        summary.preferenceDomains.append(domain)
    }
}
