import Foundation

#if canImport(Security)
import Security
#endif
#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

/// Resets an app's data to the state before its first launch, for UI tests that start from there.
///
///     try AppDataReset.perform([.files, .defaults, .groups(["group.com.example.gifs"]), .sceneSessions])
///
/// Call it before anything opens a file, first in `App.init` or before `UIApplicationMain`. It does nothing unless the launch arguments
/// contain `--ResetData`.
public enum AppDataReset {
    /// A part of an app's data that can be reset.
    public enum Part: Hashable, Sendable {
        /// Everything in `Documents`, `Library` and `tmp`, except preferences, scene sessions and the system's `SplashBoard`.
        case files
        /// The app's own preferences, and those of every suite that has a file in `Library/Preferences`.
        case defaults
        /// The files and preferences of app groups, by their identifiers.
        case groups([String])
        /// `Library/Saved Application State`. Without it, iOS asks the app for its scene configuration instead of restoring a cached one.
        case sceneSessions
        #if canImport(Security)
        /// Everything in the keychain that the app has access to, including shared items of its access groups.
        case keychain
        #endif
        #if canImport(UIKit) && !os(watchOS)
        /// The icon's badge and its quick actions, reset as soon as the app has launched.
        case applicationProperties
        #endif
    }

    /// The condition under which a reset happens.
    public enum Trigger: Hashable, Sendable {
        /// The launch arguments must contain `--ResetData`.
        case launchArgument
        /// Every call resets.
        case always
    }

    /// The launch argument: `app.launchArguments.append("--ResetData")`.
    public static let launchArgument = "--ResetData"

    /// Resets the given parts, in that order.
    ///
    /// Nothing is deleted through a link. A database is deleted before its logs, and entries are moved out of their place before they are
    /// deleted. So a process that is killed meanwhile leaves no database without its log.
    ///
    /// - Parameters:
    ///   - parts: the parts to reset.
    ///   - trigger: the condition; by default, the launch argument is required.
    ///   - isForced: true to reset in a build without DEBUG, too, which is refused otherwise.
    ///   - environment: the location of the app's data.
    /// - Returns: a summary; nil if the launch argument is required and missing.
    /// - Throws: ``AppDataError``, with the path of the entry that could not be deleted.
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

extension AppDataReset {
    /// The result of a reset.
    public struct Summary: Hashable, Sendable {
        /// The deleted entries, each with everything in it: paths in the container; for app groups, `AppGroups/ID/…`.
        public internal(set) var deleted: [String] = []
        /// The preference domains whose values were removed.
        public internal(set) var preferenceDomains: [String] = []
    }
}

/// Deletes the contents of a container's directories. It keeps the directories that the system made, the identity, and the preferences.
private struct AppDataEraser {
    private let top: OpenDirectory
    private let staging: StagingArea
    /// The prefix of the paths in the summary.
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
        // The app's data stays, and with it the mark of an unfinished installation of a seed.
        try staging.empty()
    }

    func eraseGroup(_ summary: inout AppDataReset.Summary) throws(AppDataError) {
        try erase(top, "", keeping: [SeedInstaller.identity, "Library"], &summary)
        try eraseLibrary(&summary)
        try staging.finish()
    }

    /// Empties `Library`, and keeps the directories that an app expects at its first launch.
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
        // In byte order, a database comes before its logs, but the directory of its external blobs would come before the database.
        let names = try directory.names().filter { $0 != StagingArea.name && !kept.contains($0.text) }
        let isSupport = { (name: EntryName) in name.bytes.first == UInt8(ascii: ".") && name.hasSuffix("_SUPPORT") }
        for name in names.filter({ !isSupport($0) }) + names.filter(isSupport) {
            try staging.moveAside(name, from: directory)
            summary.deleted.append(pathPrefix + (path.isEmpty ? name.text : "\(path)/\(name.text)"))
        }
    }
}

#if canImport(Security)
extension AppDataReset {
    /// Deletes every item that the app has access to (SecItemDelete).
    static func resetKeychain() throws(AppDataError) {
        let classes = [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity,
        ]
        for kind in classes {
            var query: [CFString: Any] = [kSecClass: kind, kSecAttrSynchronizable: kSecAttrSynchronizableAny]
            #if os(macOS)
            // Without this it would be the user's login keychain.
            query[kSecUseDataProtectionKeychain] = true
            #endif
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw AppDataError(
                    .keychain, "keychain", "cannot delete items of class \(kind): status \(status)", number: status)
            }
        }
    }
}
#endif

#if canImport(UIKit) && !os(watchOS)
extension AppDataReset {
    /// Resets the badge and the quick actions after the launch; before it, there is no application whose properties could be set.
    static func resetApplicationProperties() {
        NotificationCenter.default.addObserver(
            forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: .main
        ) { _ in
            MainActor.assumeIsolated {
                #if !os(visionOS)
                UIApplication.shared.applicationIconBadgeNumber = 0
                #endif
                #if os(iOS) || os(visionOS)
                UIApplication.shared.shortcutItems = []
                #endif
            }
        }
    }
}
#endif
