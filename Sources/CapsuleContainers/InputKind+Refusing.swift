import CapsuleArchive
package import CapsuleCore

extension InputKind {
    /// - Throws: `notFound` for an argument that follows a container and does not exist, because it may be a path in both of the
    ///   container's versions.
    package static func refusePath(
        _ new: [UInt8], after old: [UInt8], range: String? = nil
    ) throws(CapsuleError) {
        let path = HostPath(new)
        guard InputKind(of: old) == .container, InputKind(of: new) == .either, path != .standardStream,
            try !FileProbe.exists(path)
        else { return }
        throw CapsuleError(
            .notFound, "cannot open: no such file or directory", path: path,
            hint: range.map { "'capsule diff \(HostPath($0).shellWord)' compares the two versions" } ?? parts(new, old))
    }

    private static func parts(_ new: [UInt8], _ old: [UInt8]) -> String? {
        let container = Container(old)
        guard case .capsule(let capsule, .latest)? = try? container.resolve(), VersionedName(old) == nil,
            let opened = try? container.openLeniently()
        else { return nil }
        guard (try? NamedPaths.find(new, in: opened))?.isEmpty == false else {
            return NamedPaths.suggestion(for: new, in: opened)
        }
        guard (try? capsule.footer(of: .beforeLatest(1))) != nil else { return nil }
        return "'capsule diff \(HostPath(old).shellWord)@~1.. \(new.shellWord)' compares a part of the last two versions"
    }
}
