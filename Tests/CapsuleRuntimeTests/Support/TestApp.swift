import CapsuleRuntime
import Foundation
import TestSupport

/// An app's environment in a test's own directory: a home, one app group and a bundle.
final class TestApp: Sendable {
    static let identifier = "com.example.gifs"
    static let group = "group.com.example.gifs"

    let preferences = MemoryPreferences()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["home", "group", "bundle"] {
            try FileManager.default.createDirectory(atPath: directory[name], withIntermediateDirectories: false)
        }
    }

    /// The directory that contains all others.
    var root: String { directory.path }
    var home: String { directory["home"] }
    var groupHome: String { directory["group"] }
    var bundle: String { directory["bundle"] }
    /// A path beside the others that does not belong to the app.
    var outside: String { directory["outside"] }

    var seed: AppDataSeed { AppDataSeed(at: URL(fileURLWithPath: bundle + "/UITests.xcappdata", isDirectory: true)) }

    /// Returns an environment.
    ///
    /// - Parameter steps: the number of changes that succeed before a simulated end of the process; nil for all.
    func environment(
        arguments: [String] = ["app"], isDebug: Bool = true, hasHome: Bool = true, hasGroup: Bool = true, steps: Int? = nil
    ) -> AppEnvironment {
        let groupURL = hasGroup ? URL(fileURLWithPath: groupHome, isDirectory: true) : nil
        let fuse = Fuse(steps)
        return AppEnvironment(
            home: hasHome ? URL(fileURLWithPath: home, isDirectory: true) : nil,
            caches: URL(fileURLWithPath: home + "/Library/Caches", isDirectory: true), bundleIdentifier: Self.identifier,
            arguments: arguments, preferences: preferences, isDebug: isDebug,
            step: { () throws(AppDataError) in try fuse.burn() }, group: { $0 == Self.group ? groupURL : nil })
    }

    // MARK: Trees

    /// Writes the seed: a bundle with the container's content and the group's.
    func makeSeed(_ container: TreeLiteral, group: TreeLiteral = [:]) throws {
        try? FileManager.default.removeItem(atPath: seed.url.path)
        var whole = container.placed(at: "AppData")
        for path in group.placed(at: "AppGroups/group.com.example.gifs").paths where !group.nodes.isEmpty {
            whole[path] = group.placed(at: "AppGroups/group.com.example.gifs")[path]
        }
        try make(whole, at: seed.url.path)
    }

    func makeHome(_ tree: TreeLiteral) throws { try make(tree, at: home) }

    private func make(_ tree: TreeLiteral, at path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        try tree.make(at: path)
    }

    func homeTree() throws -> TreeLiteral { try TestApp.tree(home) }

    /// Reads a tree, with directories without their times.
    static func tree(_ path: String) throws -> TreeLiteral {
        try TreeLiteral(reading: path).mapping { _, node in if node.kind == .directory { node.modified = TreeNode.time } }
    }

    /// Returns a tree of this many nested directories, the first one with this name, and `end` in the last.
    static func deep(_ first: String, _ count: Int, end: TreeNode) -> TreeLiteral {
        var tree = TreeLiteral()
        let path = first + String(repeating: "/d", count: count - 1) + (end.kind == .directory ? "" : "/end")
        tree[TreeLiteral.RawPath(Array(path.utf8))] = end
        return tree
    }

    /// The content of a file as text; nil if nothing has the name.
    func text(_ path: String) -> String? {
        (try? Files.read(home + "/" + path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns true if no staging area is left.
    func isTidy() -> Bool {
        ![home + "/Library/.capsule-staging", groupHome + "/.capsule-staging"].contains(where: Files.exists)
    }
}

/// Lets this many changes succeed, and then none.
private final class Fuse: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int?

    init(_ left: Int?) { self.left = left }

    func burn() throws(AppDataError) {
        lock.lock()
        defer { lock.unlock() }
        guard let count = left else { return }
        if count == 0 { throw AppDataError(.system, "here", "the process has ended") }
        left = count - 1
    }
}

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
