package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Finds the credentials that the user has stored for registries: in the environment, and in the files of podman and docker.
///
/// The first place that has an answer counts:
/// 1. `CAPSULE_REGISTRY_USERNAME` and `CAPSULE_REGISTRY_PASSWORD`, for the host in `CAPSULE_REGISTRY_HOST`
/// 2. the file in `REGISTRY_AUTH_FILE`, and no other
/// 3. `$XDG_RUNTIME_DIR/containers/auth.json` (not on Apple systems), `$XDG_CONFIG_HOME/containers/auth.json`,
///    `$DOCKER_CONFIG/config.json`
///
/// In a file, these are `credHelpers`, `credsStore`, and `auths` (containers-auth.json(5), docker-login(1)).
package struct CredentialStore: Sendable {
    private let environment: [String: String]
    private let home: HostPath?
    private let helperSeconds: Double

    private static let fileLimit = 4 << 20

    /// The result of a search.
    package struct Answer: Sendable {
        package let credential: Credential?
        /// The first problem that kept the search from reading something. It matters only if the registry then refuses.
        package let problem: CapsuleError?
    }

    /// - Parameters:
    ///   - environment: the environment variables.
    ///   - home: the user's home directory.
    ///   - helperSeconds: the time after which a credential helper is stopped.
    package init(environment: [String: String], home: HostPath?, helperSeconds: Double = 30) {
        // An empty variable is the same as none.
        self.environment = environment.filter { !$0.value.isEmpty }
        self.home = home
        self.helperSeconds = helperSeconds
    }

    /// Searches for the credential of a registry.
    /// - Throws: only if the user interrupts. Other problems are in the answer.
    package func credential(for reference: OCIReference) throws(CapsuleError) -> Answer {
        var problem: CapsuleError?
        do throws(CapsuleError) {
            if let found = try ofEnvironment(for: reference) { return Answer(credential: found, problem: nil) }
        } catch {
            problem = error
        }
        for place in files {
            do throws(CapsuleError) {
                guard let file = try CredentialFile(place.path, isRequired: place.isRequired) else { continue }
                var found = try ofHelpers(file, for: reference, &problem)
                if found == nil { found = try file.stored(for: reference) }
                if let found { return Answer(credential: found, problem: problem) }
            } catch {
                if error.code == .interrupted { throw error }
                problem = problem ?? error
            }
        }
        return Answer(credential: nil, problem: problem)
    }

    /// Asks the helpers that a file names. What one that fails could have had, the file itself may have.
    private func ofHelpers(
        _ file: CredentialFile, for reference: OCIReference, _ problem: inout CapsuleError?
    ) throws(CapsuleError) -> Credential? {
        let path = Array((environment["PATH"] ?? "").utf8)
        for suffix in file.helpers(for: reference) {
            do throws(CapsuleError) {
                let helper = try CredentialHelper(suffix: suffix, file: file.path)
                let found = try helper.credential(for: reference.helperServer, path: path, seconds: helperSeconds)
                if let found { return found }
            } catch {
                if error.code == .interrupted { throw error }
                problem = problem ?? error
            }
        }
        return nil
    }

    private func ofEnvironment(for reference: OCIReference) throws(CapsuleError) -> Credential? {
        let (user, password) = (environment["CAPSULE_REGISTRY_USERNAME"], environment["CAPSULE_REGISTRY_PASSWORD"])
        guard user != nil || password != nil else { return nil }
        guard let host = environment["CAPSULE_REGISTRY_HOST"] else {
            throw CapsuleError(
                .usage, "CAPSULE_REGISTRY_HOST is not set, so no registry gets the password in CAPSULE_REGISTRY_PASSWORD",
                hint: "set it to the registry's host, such as \(reference.authority)")
        }
        guard reference.credentialHosts.contains(host.lowercased()) else {
            throw CapsuleError(
                .usage,
                "CAPSULE_REGISTRY_HOST is '\(QuotedBytes(Array(host.utf8)).text)', not '\(reference.authority)', which got no password of it"
            )
        }
        guard let user, let password else {
            throw CapsuleError(.usage, "CAPSULE_REGISTRY_\(user == nil ? "USERNAME" : "PASSWORD") is not set")
        }
        return .password(user: user, password: password)
    }

    private var files: [(path: HostPath, isRequired: Bool)] {
        func file(_ variable: String, _ name: String, inHome directory: String? = nil) -> HostPath? {
            let base = environment[variable].map { HostPath($0) } ?? directory.flatMap { home?.appending(Array($0.utf8)) }
            return base?.appending(Array(name.utf8))
        }
        if let only = environment["REGISTRY_AUTH_FILE"] { return [(HostPath(only), true)] }
        #if canImport(Darwin)
        let runtime: HostPath? = nil
        #else
        let runtime = file("XDG_RUNTIME_DIR", "containers/auth.json")
        #endif
        return [
            runtime, file("XDG_CONFIG_HOME", "containers/auth.json", inHome: ".config"),
            file("DOCKER_CONFIG", "config.json", inHome: ".docker"),
        ].compactMap { $0.map { ($0, false) } }
    }

    fileprivate static func read(_ path: HostPath, isRequired: Bool) throws(CapsuleError) -> PlistDictionary? {
        if !isRequired, try Syscall.statusIfThere(path, following: true) == nil { return nil }
        let file = try Syscall.openFile(path)
        let size = try Syscall.status(of: file.raw, path: path).size
        guard size <= UInt64(fileLimit) else {
            throw CapsuleError(.limit, "larger than \(Quantity.bytes(UInt64(fileLimit)))", path: path)
        }
        let bytes = try [UInt8](reading: Int(size)) { (buffer) throws(CapsuleError) in
            try Syscall.read(file.raw, at: 0, into: buffer, path: path)
        }
        // An empty file is what some tools leave behind.
        return bytes.isEmpty ? nil : try ReceivedJSON.object(bytes, limit: fileLimit, isLenient: true, path: path)
    }
}

/// A file with credentials.
private struct CredentialFile {
    let path: HostPath
    private let content: PlistDictionary

    /// - Parameter isRequired: true if a missing file is an error.
    /// - Returns: nil if the file is missing or empty.
    init?(_ path: HostPath, isRequired: Bool) throws(CapsuleError) {
        guard let content = try CredentialStore.read(path, isRequired: isRequired) else { return nil }
        self.path = path
        self.content = content
    }

    /// Returns the names of the programs to ask, in order.
    func helpers(for reference: OCIReference) -> [String] {
        let helpers = content.object("credHelpers")
        let own = reference.helperKeys.lazy.compactMap { helpers?.text(PlistString($0)) }.first
        return [own, content.text("credsStore")].compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// Returns what the file itself has.
    func stored(for reference: OCIReference) throws(CapsuleError) -> Credential? {
        guard let entries = content.object("auths") else { return nil }
        for key in reference.credentialKeys {
            if let entry = entries.object(PlistString(key)), let found = try credential(entry, key) { return found }
        }
        for (key, value) in entries {
            guard let host = Self.host(inURL: key.string), reference.credentialHosts.contains(host), let entry = value.dictionary
            else { continue }
            if let found = try credential(entry, key.string) { return found }
        }
        return nil
    }

    /// Returns the host of a key that is a URL, such as `https://HOST/v1/`.
    private static func host(inURL key: String) -> String? {
        for scheme in ["https://", "http://"] where key.hasPrefix(scheme) {
            return key.dropFirst(scheme.count).prefix { $0 != "/" }.lowercased()
        }
        return nil
    }

    /// - Returns: nil for an empty entry, which says that a helper has the credential.
    private func credential(_ entry: PlistDictionary, _ key: String) throws(CapsuleError) -> Credential? {
        if let token = entry.text("identitytoken"), !token.isEmpty { return .identityToken(token) }
        guard let text = entry.text("auth"), !text.isEmpty else { return nil }
        // A password may have a colon, a user name can't.
        guard let bytes = text.base64Bytes, let pair = String(validating: bytes, as: UTF8.self),
            let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
        else {
            throw CapsuleError(
                "the entry '\(QuotedBytes(Array(key.utf8)).text)' has an 'auth' that is not a user name and a password in base64",
                path: path)
        }
        let user = String(pair.utf8[..<colon]) ?? ""
        var password = pair.utf8[pair.utf8.index(after: colon)...]
        while password.last == 0 { password.removeLast() }
        return .password(user: user, password: String(password) ?? "")
    }
}

/// The names of a registry in files with credentials.
extension OCIReference {
    /// All names of its host.
    fileprivate var credentialHosts: [String] { isHub ? Self.hubHosts : [authority] }

    /// The keys of `credHelpers`.
    fileprivate var helperKeys: [String] { isHub ? [Self.hubKey] + Self.hubHosts : [authority] }

    /// The name by which a helper is asked.
    fileprivate var helperServer: String { isHub ? Self.hubKey : authority }

    /// The keys of `auths`, the most specific first: `HOST/A/B`, `HOST/A`, `HOST`.
    fileprivate var credentialKeys: [String] {
        let components = repository.split(separator: "/")
        let paths = (0...components.count).reversed().map { components.prefix($0).map { "/" + $0 }.joined() }
        return paths.flatMap { path in credentialHosts.map { $0 + path } }
    }
}
