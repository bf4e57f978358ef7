import CapsuleCore
import CapsuleFileSystem

/// Two versions of one capsule, as one argument names them: `FILE` for the last two, `FILE@1..2` for any
/// two; `FILE:PATH` and `FILE@1..2:PATH` for one file of both.
public struct ComparedVersions: Sendable {
    /// The older side, `FILE@VERSION`.
    public let old: [UInt8]
    /// The newer side, `FILE@VERSION`.
    public let new: [UInt8]

    private static let separator = Array("..".utf8)

    /// True for `FILE@1..2`: paths may follow it, since it names both sides.
    public static func isRange(_ argument: [UInt8]) -> Bool {
        guard ContainedName(argument) == nil, let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        let range = argument[(at + 1)...]
        guard range.indices.contains(where: { range[$0...].starts(with: separator) }) else { return false }
        return (try? FileProbe.exists(HostPath(argument))) == false
    }

    /// - Throws: a usage error for an argument that names one thing alone; `notFound` for a file that does not exist.
    public init(of argument: [UInt8]) throws(CapsuleError) {
        if let name = ContainedName(argument) {
            let versions = try Self.init(of: name.container)
            let path = [UInt8(ascii: ":")] + name.path
            (old, new) = (versions.old + path, versions.new + path)
            return
        }
        let path = HostPath(argument)
        if try FileProbe.exists(path) {
            guard ComparedKind(of: argument) == .container, !FileProbe.isDirectory(path) else { throw Self.isAlone(argument) }
            (old, new) = (argument + Array("@~1".utf8), argument + Array("@latest".utf8))
            return
        }
        guard let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else {
            if ComparedKind(of: argument) != .either || path == .standardStream { throw Self.isAlone(argument) }
            throw CapsuleError(.notFound, "cannot open: no such file or directory", path: path)
        }
        let range = Array(argument[(at + 1)...])
        guard let middle = range.indices.first(where: { range[$0...].starts(with: Self.separator) }) else {
            throw Self.isAlone(argument)
        }
        guard middle > 0 else {
            throw CapsuleError(
                .usage, "the range has no start", path: path,
                hint: "write 'FILE@1..2'; a range without an end goes to the latest")
        }
        let end = Array(range[(middle + Self.separator.count)...])
        let start = Array(argument[...at])
        old = start + range[..<middle]
        new = start + (end.isEmpty ? Array("latest".utf8) : end)
    }

    private static func isAlone(_ argument: [UInt8]) -> CapsuleError {
        CapsuleError(
            .usage, "'diff' takes two containers or files, and this is one", path: HostPath(argument),
            hint: "'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two")
    }
}
