import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
package import CapsulePropertyList
import CapsuleRemote
import CapsuleSystem

/// A project's app and capsule, and what its commands do by default: the file `.capsule.plist` at the project's root.
///
/// The file may come with somebody else's repository. It runs nothing, and it names nothing outside the project except an app on a
/// simulator and an address that is only read.
package struct Project: Sendable {
    package static let fileName = Array(".capsule.plist".utf8)
    private static let longest: UInt64 = 1 << 20

    /// The directory of the file, as a path from the current directory.
    package let root: HostPath
    /// The argument that names the app's live container.
    package let app: [UInt8]
    /// The argument that names the capsule.
    package let capsule: [UInt8]
    /// The values of flags that the project sets: `drop`, `rules`, `expect`.
    package private(set) var drop: String?
    package private(set) var rules: [UInt8]?
    package private(set) var expectation: [UInt8]?
    package private(set) var usesSimctl = false
    /// True to pack and restore the keychain of the app's simulator.
    package private(set) var takesKeychain = false
    /// True to take the app's groups, which is the default.
    package private(set) var takesGroups = true

    /// The simulator that the project's app is on; nil if its name says none, or it is a directory.
    package var device: String? {
        let text = String(decoding: app, as: UTF8.self)
        guard text.hasPrefix("sim:"), let slash = text.lastIndex(of: "/") else { return nil }
        return String(text[..<slash].dropFirst("sim:".count))
    }

    /// True if the capsule is an address, which is only read.
    package var hasRemoteCapsule: Bool { RemoteAddress.isAddress(capsule) }

    /// Begins the names of places in the app's live container.
    package static let appName = Array("app:".utf8)
    private static let at = UInt8(ascii: "@")
    private static let slash = UInt8(ascii: "/")

    /// Returns true for `@`, `@VERSION` and `app:`, each also with `:PATH`.
    package static func isName(_ text: some Collection<UInt8>) -> Bool { text.first == at || text.starts(with: appName) }

    /// Returns a name in full: `@clean` is `FILE@clean`, `@` alone the newest version, and `app:PATH` is `APP:PATH`.
    package func fullName(_ name: [UInt8]) -> [UInt8] {
        guard Self.isName(name) else { return name }
        let colon = UInt8(ascii: ":")
        if name[0] == Self.at {
            let isBare = name.count == 1 || name[1] == colon
            return capsule + name.dropFirst(isBare ? 1 : 0)
        }
        let path = name.dropFirst(Self.appName.count)
        return app + (path.isEmpty ? [] : [colon] + path)
    }

    /// What undoes the last change of the app's container; nil if the user has no directory for caches.
    package func keptUndo(cacheHome: [UInt8]?, home: [UInt8]?) -> KeptUndo? {
        guard let place = try? RealPath.resolve(root), let caches = CacheDirectory.path(cacheHome: cacheHome, home: home),
            let directory = PrivateDirectory.make(caches)
        else { return nil }
        let digest = SHA256Hasher.digest(of: place.bytes).hex.prefix(32)
        return KeptUndo(document: directory.path.appending(Array("undo-\(digest).plist".utf8)))
    }

    /// Finds the file in the current directory or above it. The search ends at the user's home, at the edge of a file system, and
    /// with an error at a directory or a file that other users can change.
    /// - Returns: nil if there is none.
    package static func find(home: [UInt8]?) throws(CapsuleError) -> Project? {
        guard let start = try RealPath.resolve(HostPath(".")) else { return nil }
        let home = try home.flatMap { (home) throws(CapsuleError) in try RealPath.resolve(HostPath(home)) }
        var (place, prefix) = (start, [UInt8]())
        let device = try RootDirectory(start).status().device
        while true {
            // A directory that can't be listed, such as that of all homes, ends the search, too.
            guard let directory = try? RootDirectory(place), try directory.status().device == device else { return nil }
            let name = HostPath(prefix + fileName)
            do throws(CapsuleError) {
                let file = try directory.readSmallFile(named: fileName, limit: longest)
                try check(file.access, name)
                try check(try ForeignAccess.toOwnNames(in: directory), place)
                return try Project(file.bytes, name, root: prefix)
            } catch {
                guard error.code == .notFound else { throw error.at(name) }
            }
            try check(try ForeignAccess.toOwnNames(in: directory), place)
            guard place != home, place.directory != place, place.bytes.count > 1 else { return nil }
            place = place.directory
            prefix += Array("../".utf8)
        }
    }

    private static func check(_ access: ForeignAccess, _ path: HostPath) throws(CapsuleError) {
        let reason: String
        switch access {
        case .none, .owner(0): return
        case .owner(let user): reason = "belongs to \(UserNames.name(of: user))"
        case .writers: reason = "can be changed by other users"
        }
        throw CapsuleError(
            .refused, "\(reason), so '\(String(decoding: fileName, as: UTF8.self))' is not looked for there", path: path,
            hint: "name the capsule and the container on the command line")
    }

    /// The error where there is no project.
    package static func missing(_ reason: String) -> CapsuleError {
        CapsuleError(
            .usage, "no '.capsule.plist' here or above, and \(reason)",
            hint: "'capsule init com.example.app' makes one for an app on a simulator, 'capsule init DIRECTORY' for a directory")
    }

    /// Returns a path that leads to a file inside the project, which need not exist.
    /// - Parameter name: the path from the project's root.
    package func file(named name: String) throws(CapsuleError) -> [UInt8] {
        // A file may be named `-`, which stands for standard input by itself.
        let file = HostPath(root.bytes + [Self.slash] + Array(name.utf8))
        guard !name.isEmpty, !name.hasPrefix("/"), !name.utf8.contains(0), !Self.climbs(Array(name.utf8)),
            try Self.isInside(file, root)
        else {
            throw CapsuleError(
                .usage, "'\(name)' is not a file of the project", hint: "name a file below the project's root")
        }
        return file.bytes
    }

    /// Returns true for a place inside a directory, with links resolved. A place that does not exist yet is judged by what is above it.
    fileprivate static func isInside(_ path: HostPath, _ root: HostPath) throws(CapsuleError) -> Bool {
        var place = path.bytes.isEmpty ? HostPath(".") : path
        while try RealPath.resolve(place) == nil, place.directory != place { place = place.directory }
        guard let real = try RealPath.resolve(place), let root = try RealPath.resolve(root) else { return false }
        return real == root || real.bytes.starts(with: root.bytes + (root.bytes.last == slash ? [] : [slash]))
    }

    fileprivate static func climbs(_ path: some Collection<UInt8>) -> Bool {
        path.split(separator: slash).contains { $0.elementsEqual("..".utf8) }
    }

    /// Returns the name of the capsule of an app, unless the file says another: `gifs.capsule` for `com.example.gifs`.
    package static func capsuleName(for app: String) -> String {
        let parts = app.split { $0 == "/" || $0 == "." || $0 == ":" }.filter { $0 != "xcappdata" }
        return (parts.last.map(String.init) ?? "app") + ".capsule"
    }

    private init(_ bytes: [UInt8], _ file: HostPath, root prefix: [UInt8]) throws(CapsuleError) {
        let document: PlistValue
        do throws(PlistError) {
            document = try PlistDocument.read(bytes, isLenient: true).value
        } catch {
            throw CapsuleError(error, in: file)
        }
        try self.init(document, file, root: prefix)
    }

    /// Checks what is to be written to a new file in the current directory.
    package init(new document: PlistValue) throws(CapsuleError) {
        try self.init(document, HostPath(Self.fileName), root: [])
    }

    private init(_ document: PlistValue, _ file: HostPath, root prefix: [UInt8]) throws(CapsuleError) {
        let reader = try ProjectReader(document, file, prefix)
        root = HostPath(prefix.isEmpty ? Array(".".utf8) : Array(prefix.dropLast()))
        app = try reader.app()
        capsule = try reader.capsule(for: app)
        drop = try reader.words("Drop")
        rules = try reader.path("Rules")
        expectation = try reader.path("Expectation")
        usesSimctl = try reader.boolean("Simctl")
        takesKeychain = try reader.boolean("Keychain")
        takesGroups = try reader.boolean("Groups", default: true)
        try reader.refuseUnknownKeys()
    }
}

/// Reads the keys of a project's file.
private struct ProjectReader {
    private static let keys = ["App", "File", "Drop", "Groups", "Keychain", "Rules", "Expectation", "Simctl"]

    private let values: PlistDictionary
    private let file: HostPath
    private let prefix: [UInt8]

    init(_ document: PlistValue, _ file: HostPath, _ prefix: [UInt8]) throws(CapsuleError) {
        guard case .dictionary(let values) = document else {
            throw CapsuleError("is not a dictionary", path: file)
        }
        (self.values, self.file, self.prefix) = (values, file, prefix)
    }

    func app() throws(CapsuleError) -> [UInt8] {
        guard let app = try text("App") else {
            throw invalid("App", "is missing", "'App' names the app: a bundle identifier, a 'sim:' name, or a directory")
        }
        if app.hasPrefix("sim:") { return Array(app.utf8) }
        let directory = inside(app)
        let isThere = try FileProbe.exists(directory)
        if app.contains("/") || isThere {
            try refuseOutside(directory, "App")
            return directory.bytes
        }
        guard app.contains(".") else {
            throw invalid(
                "App", "names no directory of the project", "write a bundle identifier, such as 'com.example.app', or a directory"
            )
        }
        return Array("sim:\(app)".utf8)
    }

    /// - Parameter app: the app, for the default name.
    func capsule(for app: [UInt8]) throws(CapsuleError) -> [UInt8] {
        let name: String
        if let file = try text("File") {
            if RemoteAddress.isAddress(Array(file.utf8)) { return Array(file.utf8) }
            name = file
        } else {
            name = Project.capsuleName(for: String(decoding: app, as: UTF8.self))
        }
        let file = inside(name)
        try refuseOutside(file.directory, "File")
        return file.bytes
    }

    /// Returns a path of the project.
    func path(_ key: String) throws(CapsuleError) -> [UInt8]? {
        guard let text = try text(key) else { return nil }
        let path = inside(text)
        try refuseOutside(path.directory, key)
        return path.bytes
    }

    /// Returns a word, or several as a list separated by commas.
    func words(_ key: String) throws(CapsuleError) -> String? {
        if case .array(let values)? = self.values[PlistString(key)] {
            let words = values.compactMap(\.string?.string)
            guard words.count == values.count, !words.isEmpty else { throw invalid(key, "is not an array of strings") }
            return words.joined(separator: ",")
        }
        return try text(key)
    }

    func boolean(_ key: String, default standard: Bool = false) throws(CapsuleError) -> Bool {
        guard let value = values[PlistString(key)] else { return standard }
        guard case .boolean(let isOn) = value else { throw invalid(key, "is not a boolean") }
        return isOn
    }

    func refuseUnknownKeys() throws(CapsuleError) {
        for (key, _) in values where !Self.keys.contains(key.string) {
            throw CapsuleError(
                "has the unknown key '\(key.string)'", path: file,
                hint: Suggestions(for: key.string, among: Self.keys).hint ?? "the keys are \(Self.keys.joined(separator: ", "))")
        }
    }

    private func text(_ key: String) throws(CapsuleError) -> String? {
        guard let value = values[PlistString(key)] else { return nil }
        guard let text = value.string?.string, !text.isEmpty, !text.utf8.contains(0) else {
            throw invalid(key, "is not a string")
        }
        return text
    }

    private func inside(_ name: String) -> HostPath {
        HostPath(name.hasPrefix("/") ? Array(name.utf8) : prefix + Array(name.utf8))
    }

    /// Throws for a place outside the project, with links resolved.
    private func refuseOutside(_ path: HostPath, _ key: String) throws(CapsuleError) {
        let root = HostPath(prefix.isEmpty ? Array(".".utf8) : prefix)
        guard !Project.climbs(path.bytes.dropFirst(prefix.count)), try Project.isInside(path, root) else {
            throw invalid(key, "is outside the project", "name what is outside on the command line")
        }
    }

    private func invalid(_ key: String, _ problem: String, _ hint: String? = nil) -> CapsuleError {
        CapsuleError("'\(key)' \(problem)", path: file, hint: hint)
    }
}
