import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem

/// Names that may follow on a command line that is being typed: versions, paths, apps, places of a property list.
///
/// Whoever types waits for them: they come from indexes and listings, and no content is read. What can't be read has none, and
/// nothing is printed. Standard input is never read.
public enum CompletionNames {
    /// No more are looked for.
    static let limit = 5_000

    /// Ends the process, with status 0 and in silence, if it is still there after so many seconds: a directory may be on a server
    /// that doesn't answer, and a name a pipe's.
    public static func endProcess(afterSeconds seconds: UInt32) { Alarm.endProcess(afterSeconds: seconds) }

    /// What the versions of a capsule are called: `latest`, `first`, numbers and labels; none of what is no capsule.
    public static func versions(of file: HostPath) -> [String] {
        guard file != .standardStream, isFile(file), case .capsule(let capsule, _)? = try? Container(file.bytes).resolve() else {
            return []
        }
        return (try? capsule.versionNames()) ?? []
    }

    /// The paths in a container that begin with what was typed, a directory at a time: what is in one is not listed before its
    /// slash is typed. Directories end with a slash.
    ///
    /// Of a capsule only the part of its index is read that has them, of a directory just that. Archives are not opened.
    ///
    /// - Parameters:
    ///   - container: as it was typed: a path, `FILE@VERSION` or `sim:BUNDLE-ID`.
    ///   - typed: the beginning of a path.
    public static func paths(in container: [UInt8], beginningWith typed: [UInt8]) -> [[UInt8]] {
        let path = HostPath(container)
        guard path != .standardStream, (try? FileProbe.exists(path)) != true || FileProbe.isDirectory(path) || isFile(path),
            let form = try? Container(container).resolve()
        else { return [] }
        var names = NextNames(typed)
        switch form {
        case .live(let directory): try? names.addEntries(of: directory)
        case .capsule(let capsule, let selector): try? names.addEntries(of: capsule, selector)
        case .archive: break
        }
        return names.found
    }

    /// The container, and the beginning of a path in it, of an unfinished `CONTAINER:PATH`; the path may be empty.
    ///
    /// - Returns: nil if nothing that exists is named before a colon.
    public static func contained(in typed: [UInt8]) -> (container: [UInt8], path: [UInt8])? {
        // A name is never empty: a letter stands for what is still to be typed.
        ContainedName(typed + [UInt8(ascii: "x")]).map { ($0.container, Array($0.path.dropLast())) }
    }

    /// Whether it is a plain file: anything else might never end, or never open.
    static func isFile(_ path: HostPath) -> Bool {
        (try? Syscall.status(path, following: true))?.kind == .file
    }
}
