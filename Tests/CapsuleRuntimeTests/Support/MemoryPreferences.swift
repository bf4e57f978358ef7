import CapsuleRuntime
import Foundation

/// Preferences in memory, for one test.
final class MemoryPreferences: PreferenceDomains, @unchecked Sendable {
    private let lock = NSLock()
    private var domains: [String: [String: Any]] = [:]

    func values(ofDomain name: String) -> [String: Any]? { lock.withLock { domains[name] } }

    func setValues(_ values: [String: Any], ofDomain name: String) { lock.withLock { domains[name] = values } }

    func removeDomain(_ name: String) { lock.withLock { domains[name] = nil } }

    var names: [String] { lock.withLock { domains.keys.sorted() } }

    subscript(domain: String, key: String) -> String? { values(ofDomain: domain)?[key] as? String }
}
