import Foundation

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
