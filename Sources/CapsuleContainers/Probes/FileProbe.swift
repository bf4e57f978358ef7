import CapsuleArchive
package import CapsuleCore
import CapsuleSystem

/// Checks the user's paths before anything is done with them.
package enum FileProbe {
    /// Returns true if anything has that name, including a dangling link.
    /// - Throws: if that can't be known, for example in a directory that the user can't search.
    package static func exists(_ path: HostPath) throws(CapsuleError) -> Bool {
        try status(path) != nil
    }

    /// Returns the hint for a file that does not exist: the nearest name in its directory; nil if there is none, and for other errors.
    package static func suggestion(for error: CapsuleError) -> String? {
        guard error.code == .notFound, let path = error.path, (try? exists(path)) == false,
            let names = try? RootDirectory(path.directory).names()
        else { return nil }
        let known = names.directories.union(names.files).map { String(decoding: $0, as: UTF8.self) }
        let start = String(decoding: path.bytes.dropLast(path.name.count), as: UTF8.self)
        let typed = String(decoding: path.name, as: UTF8.self)
        return Suggestions.hint(for: Suggestions(for: typed, among: known).words.prefix(1).map { start + $0 })
    }

    private static func status(_ path: HostPath) throws(CapsuleError) -> FileStatus? {
        try Syscall.statusIfThere(path)
    }

    /// Checks that an output may use a name.
    /// - Parameters:
    ///   - kind: the kind of the output. A file never replaces a directory, nor a directory a file. A directory that exists is left to
    ///     ``DirectoryReplacement``.
    ///   - isForced: true if the output may replace a file that can be made again, and not only a report of the same form.
    ///   - flag: the flag that the name comes from; nil if the command chose the name itself.
    ///   - hint: the hint for a name that exists, if no flag would make the command replace it.
    /// - Returns: true if the output may replace whatever has the name when it is written.
    /// - Throws: `exists` for what may not be replaced, `usage` for a path that is not a name.
    @discardableResult
    package static func checkTarget(
        _ path: HostPath, as kind: OutputKind, replacing isForced: Bool, flag: String? = "-o", hint: String? = nil
    ) throws(CapsuleError) -> Bool {
        let name = path.name
        let isDirectory = kind == .directory
        if name.isEmpty || name == Array(".".utf8) || name == Array("..".utf8)
            || (!isDirectory && path.bytes.last == UInt8(ascii: "/"))
        {
            throw CapsuleError(
                .usage, "is not a name for a new \(isDirectory ? "directory" : "file")", path: path,
                hint: flag.map { "'\($0)' needs a file or directory name" } ?? Self.otherPlace
            )
        }
        guard let found = try status(path) else {
            if flag != nil { try OutputPaths.checkDirectory(of: path) }
            return isForced
        }
        var replaced = ReplacedFile.other
        switch isSystemLink(path, found) ? .device : found.kind {
        case .socket, .pipe, .device:
            throw CapsuleError(
                .exists, "is not a regular file, and is never replaced", path: path,
                hint: flag.map { "'\($0) -' writes to standard output" } ?? Self.otherPlace)
        case .directory where !isDirectory:
            throw CapsuleError(
                .exists, "is a directory", path: path,
                hint: flag.map { "'\($0)' needs a file or directory name" } ?? Self.otherPlace)
        case .directory: return false
        case .file where isDirectory:
            throw CapsuleError(
                .exists, "is a file, and is never replaced by a directory", path: path,
                hint: "choose another name, or move it elsewhere")
        case .file: replaced = ReplacedFile(path)
        case .link: break
        }
        if case .report(let form) = replaced, kind == .report(form) { return true }
        let loss = replaced.loss
        let remedy = replaced.remedy
        guard isForced else { throw CapsuleError(.exists, "already exists", path: path, hint: hint ?? remedy) }
        if let loss { throw CapsuleError(.exists, loss, path: path, hint: remedy) }
        return true
    }

    private static let otherPlace = "move it elsewhere, or choose another directory"

    private static func isSystemLink(_ path: HostPath, _ found: FileStatus) -> Bool {
        guard found.kind == .link else { return false }
        if let directory = (try? RealPath.resolve(path.directory))?.bytes {
            if ["/dev", "/dev/fd"].contains(where: { directory.elementsEqual($0.utf8) }) { return true }
            if directory.starts(with: "/proc/".utf8) { return true }
        }
        switch (try? Syscall.status(path, following: true))?.kind {
        case .device, .pipe, .socket: return true
        default: return false
        }
    }

    package static func areSame(_ one: HostPath, _ other: HostPath) -> Bool {
        guard let first = try? Syscall.status(one, following: true), let second = try? Syscall.status(other, following: true)
        else { return false }
        return first.device == second.device && first.inode == second.inode
    }

    /// Returns true if a path leads to a directory or into it, following links, however the two are spelled.
    /// - Returns: false if either leads nowhere, or can't be reached by its name here.
    /// - Throws: if that can't be known.
    package static func leads(_ path: HostPath, to directory: HostPath) throws(CapsuleError) -> Bool {
        // Names are not compared, because on some file systems a name has many spellings.
        guard let outer = try? Syscall.status(directory, following: true),
            let place = try? Syscall.status(path, following: true)
        else { return false }
        if place.isSameFile(as: outer) { return true }
        guard outer.kind == .directory else { return false }
        let start = place.kind == .directory ? path : try RealPath.ofFile(path).directory
        return try DirectoryChain(from: start).contains(directory)
    }

    /// Returns true if a path is a pipe, following links.
    package static func isPipe(_ path: HostPath) -> Bool {
        (try? Syscall.status(path, following: true))?.kind == .pipe
    }

    /// Returns true if a path is a directory, following links.
    package static func isDirectory(_ path: HostPath) -> Bool {
        (try? Syscall.status(path, following: true))?.kind == .directory
    }
}

extension CapsuleError {
    /// - Parameter hint: returns the hint for `FILE@VERSION`, which other commands accept. Its argument is FILE.
    package init(_ error: CapsuleError, opening path: HostPath, hint: (HostPath) -> String) {
        if FileProbe.isDirectory(path) {
            self.init("is a directory, not a capsule", path: path, hint: "'capsule pack' turns a container into a capsule")
            return
        }
        if error.code == .notFound, let mark = path.bytes.lastIndex(of: UInt8(ascii: "@")) {
            let file = HostPath(Array(path.bytes[..<mark]))
            if (try? CapsuleFile(opening: file)) != nil {
                self.init(.usage, "must be a file, not one version of it", path: path, hint: hint(file))
                return
            }
        }
        self = error
    }
}

extension HostPath {
    /// The mode of a plain file that is read, or for `-`, of the file behind standard input; nil for anything else. A file that is
    /// made of it has at most this mode.
    package var inputMode: FileMode? {
        guard let path = self == .standardStream ? RealPath.ofStandardInput() : self,
            let status = try? Syscall.status(path, following: true), status.kind == .file
        else { return nil }
        return status.mode
    }
}
