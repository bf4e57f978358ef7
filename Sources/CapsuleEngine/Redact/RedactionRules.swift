import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleRules
import CapsuleSystem

extension SecretScan.Rules {
    /// The classes of files that are left out unless the user says otherwise: they have what an app showed and loaded.
    package static let dropped = "caches,tmp,splashboard,web"
    /// The directories of web views, with their cookies, their storage and their caches. Only a redaction leaves them out.
    private static let web = NoiseClass(rawValue: "web")
    private static let webPath = "Library/WebKit/**"
    private static let fewestBytes = 3
    private static let longestFile = 1 << 20

    /// Returns what a list of classes leaves out; nothing for `none`.
    package static func dropped(_ names: String) throws(CapsuleError) -> [DroppedNoise] {
        if names == "none" { return [] }
        let all = names.split(separator: ",", omittingEmptySubsequences: false)
        let others = all.filter { $0 != web.rawValue }
        let dropped: [DroppedNoise]
        do throws(CapsuleError) {
            dropped = others.isEmpty ? [] : try DroppedNoise.list(others.joined(separator: ","))
        } catch {
            throw CapsuleError(
                error.code, error.message, hint: "'web' leaves out what web views store, and 'none' keeps everything")
        }
        return dropped + (others.count < all.count ? [DroppedNoise(web, paths: [try Glob(argument: Array(webPath.utf8))])] : [])
    }

    /// - Parameters:
    ///   - file: a file with a text on each line; nil for none.
    ///   - keys: the patterns of names as the user wrote them. `*.` before a pattern is any or no name before it.
    package init(texts: [String], file: HostPath?, keys: [String], kept: [[UInt8]]) throws(CapsuleError) {
        self.init()
        self.texts = texts.map { Array($0.utf8) }
        if let file {
            guard let text = try? TextContent(try EditedFile(file, limit: UInt64(Self.longestFile)).bytes) else {
                throw CapsuleError("is not a text", path: file)
            }
            let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }
            guard !lines.isEmpty else { throw CapsuleError("has no texts to find", path: file) }
            self.texts += lines.map { Array($0) }
        }
        guard !self.texts.contains([]) else { throw CapsuleError(.usage, "the text to search for is empty") }
        for key in keys {
            let pattern = Array(key.lowercased().utf8)
            self.keys.append(try Glob(argument: pattern))
            if key.hasPrefix("*.") { self.keys.append(try Glob(argument: Array(pattern.dropFirst(2)))) }
        }
        self.kept = kept
    }

    /// - Throws: ``CapsuleError`` for a text that is in too many places that have nothing to do with it.
    package func refuseShortTexts() throws(CapsuleError) {
        guard let text = texts.first(where: { $0.count < Self.fewestBytes }) else { return }
        throw CapsuleError(
            .usage, "'\(QuotedBytes(text).text)' is too short to be replaced: at least \(Self.fewestBytes) bytes are needed")
    }

    /// Refuses a capsule of several versions of which none is named. Only one is redacted, and history never travels.
    package static func refuseVersions(of container: Container) throws(CapsuleError) {
        guard let count = ContainerSearch.unnamedVersions(of: container), count > 1 else { return }
        let path = HostPath(container.argument)
        throw CapsuleError(
            .usage, "has \(count) versions, of which one can be redacted", path: path,
            hint: "'\(path.shellWord)@latest' names the newest one, and 'capsule log \(path.shellWord)' lists them")
    }
}
