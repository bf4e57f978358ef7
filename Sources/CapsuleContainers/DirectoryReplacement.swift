package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// The check of a directory that an output replaces as a whole. `--force` never takes more than it gives: a directory is replaced
/// only if everything in it is written again, or by a container of the same app and the same form.
package struct DirectoryReplacement {
    private let result: OpenedContainer
    private let written: [RelativePath: EntryKind]
    /// True if the result is a bundle; false for a bare container; nil for a plain directory.
    private let isBundle: Bool?

    package init(by result: OpenedContainer, writing written: [RelativePath: EntryKind], isBundle: Bool?) {
        self.result = result
        self.written = written
        self.isBundle = isBundle
    }

    /// Anything but a directory is checked as ``FileProbe/checkTarget(_:as:replacing:flag:hint:)`` does.
    /// - Returns: true if the result may replace whatever has the name when it is written.
    /// - Throws: `exists` for a directory that may not be replaced, with a hint that says what would be lost.
    package func check(_ path: HostPath, replacing isForced: Bool) throws(CapsuleError) -> Bool {
        let isFree = try FileProbe.checkTarget(path, as: .directory, replacing: isForced)
        guard try Syscall.statusIfThere(path)?.kind == .directory else { return isFree }
        try Self.refuseCommonDirectory(path)
        let top = try RootDirectory(path)
        let present = try LiveContainer.open(plain: top, options: ContainerOptions())
        try refuseParts(of: present, top)
        let lost = present.entries.filter { $0.root == .tree && !isWrittenAgain($0) }
        let first = lost.first { $0.kind != .directory }?.path ?? lost.first?.path
        let firstLost = first ?? present.omitted.lazy.compactMap { try? RelativePath(validating: $0.path) }.first
        guard let firstLost else {
            if isForced { return true }
            throw CapsuleError(.exists, "already exists", path: path, hint: "'--force' replaces it")
        }
        try refuseOther(path, losing: firstLost)
        let others = present.omitted.compactMap { try? RelativePath(validating: $0.path) }
        try Self.refuseForeign(lost.map(\.path) + others, at: path, isBundle: isBundle ?? false)
        if isForced { return true }
        let files = lost.count { $0.kind != .directory } + present.omitted.count
        let count = files > 0 ? Quantity.counted(UInt64(files), "other file", "other files") : "other directories"
        throw CapsuleError(
            .exists, "already exists", path: path, hint: "'--force' replaces it, and deletes \(count), first \(firstLost)")
    }

    private func isWrittenAgain(_ entry: TreeEntry) -> Bool {
        guard let kind = written[entry.path] else { return false }
        return (kind == .directory) == (entry.kind == .directory)
    }

    /// Refuses a directory that is not a container of the same form and app as the result.
    private func refuseOther(_ path: HostPath, losing entry: RelativePath) throws(CapsuleError) {
        let present = try? Container(path.bytes).open(ContainerOptions())
        guard let isBundle, let present, present.layout == .container, (present.source.kind == .bundle) == isBundle else {
            throw Self.refusal(path, "already exists, and has \(entry), which the result does not have")
        }
        guard present.source.bundleIdentifier == result.source.bundleIdentifier else {
            let (own, app) = (present.source.bundleIdentifier, result.source.bundleIdentifier)
            throw Self.refusal(
                path,
                "is the container of \(own?.quoted ?? "an unknown app"), but the result is of \(app?.quoted ?? "an unknown app")")
        }
    }

    /// Refuses to lose anything that is not in a place where apps keep data, such as a project beside it.
    private static func refuseForeign(_ lost: [RelativePath], at path: HostPath, isBundle: Bool) throws(CapsuleError) {
        for entry in lost {
            var names = entry.components.map { Array($0) }
            if isBundle {
                if names.first == ContainerShape.appDataInfo || names.first == ContainerShape.appGroups { continue }
                guard names.first == ContainerShape.appData else { throw foreign(entry, path) }
                names.removeFirst()
            }
            guard names.first.map({ Self.ofApps.contains($0) }) ?? true else { throw foreign(entry, path) }
        }
    }

    private static func foreign(_ entry: RelativePath, _ path: HostPath) -> CapsuleError {
        refusal(path, "has \(entry), which is not in a place where an app keeps data")
    }

    /// The names at the top of an app's data.
    package static let ofApps: Set<[UInt8]> = Set(
        ["Documents", "Library", "SystemData", "StoreKit", "tmp"].map { Array($0.utf8) } + [ContainerShape.identity])

    /// Refuses a directory that contains a repository, or that another file system is mounted in.
    private func refuseParts(of present: OpenedContainer, _ top: RootDirectory) throws(CapsuleError) {
        let lost = present.entries.lazy.map(\.path).filter { written[$0] == nil }
        if let repository = Self.repository(among: lost) {
            throw Self.refusal(top.path, repository.isRoot ? "is a repository" : "contains a repository, \(repository)")
        }
        let device = try top.status().device
        for entry in present.entries where entry.root == .tree && entry.kind == .directory {
            if let status = try top.statusIfThere(of: entry.path), status.device != device {
                throw Self.refusal(top.path, "contains a mount point, \(entry.path)")
            }
        }
    }

    /// Returns the first directory that is a repository, with its files beside a directory such as `.git`, or a bare one of git; nil if there
    /// is none.
    package static func repository(among paths: some Sequence<RelativePath>) -> RelativePath? {
        var heads: [RelativePath] = []
        for path in paths {
            if repositories.contains(Array(path.name)) { return path.parent ?? .root }
            if path.name.elementsEqual("HEAD".utf8), let parent = path.parent { heads.append(parent) }
        }
        if heads.isEmpty { return nil }
        let all = Set(paths)
        return heads.first { parent in
            ["objects", "refs"].allSatisfy { name in (try? parent.appending(Array(name.utf8))).map(all.contains) ?? false }
        }
    }

    /// Returns the directory of a repository, such as `.git`, that a path is in; nil if there is none.
    package static func repository(around path: RelativePath) -> RelativePath? {
        var directory = path.parent
        while let here = directory, !here.isRoot {
            if repositories.contains(Array(here.name)) { return here }
            directory = here.parent
        }
        return nil
    }

    private static let repositories: Set<[UInt8]> = Set(
        [".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", ".pijul", ".fslckout", "CVS"].map { Array($0.utf8) })

    /// Returns true for the home directory, and for a directory that contains it.
    package static func isHome(_ path: HostPath) throws(CapsuleError) -> Bool {
        guard let home = Host.environment("HOME"), !home.isEmpty else { return false }
        return try FileProbe.leads(HostPath(home), to: path)
    }

    /// Refuses the home directory, the current directory, the directories around them, and mount points.
    private static func refuseCommonDirectory(_ path: HostPath) throws(CapsuleError) {
        if try isHome(path) { throw refusal(path, "is the home directory, or contains it") }
        if try FileProbe.leads(HostPath("."), to: path) {
            throw refusal(path, "is the current directory, or contains it")
        }
        if try Syscall.status(path, following: false).device != Syscall.status(path.directory, following: true).device {
            throw refusal(path, "is a mount point")
        }
    }

    private static func refusal(_ path: HostPath, _ reason: String) -> CapsuleError {
        CapsuleError(
            .exists, reason, path: path, hint: "it is never replaced as a whole: choose another name, or move it elsewhere")
    }
}
