import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem
import CapsuleTransaction

/// Refuses live directories that may not be changed, for the app's data and each app group alike (docs/apply.md, section 1).
extension LiveChange {
    /// Refuses an undo file that is part of the target, that would replace an input, or that already exists.
    func refuseUndoFile(in target: LiveTarget, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        guard let undo = options.undo, undo.path != .standardStream else { return }
        try InputPaths(inputs, changed: target.roots.map(\.path.bytes)).refuse(undo.path, flag: "--undo")
        let isThere = try FileProbe.exists(undo.path)
        if isThere, !undo.replaces {
            throw CapsuleError(
                .exists, "already exists, and may be the undo file of an earlier change", path: undo.path,
                hint: "choose another file")
        }
    }

    /// Refuses to restore a container from a source that is inside it, from a source that it is inside, or from itself.
    func refuse(source: Container, in target: LiveTarget) throws(CapsuleError) {
        var path: HostPath
        switch try source.resolve() {
        case .live(let directory): path = directory
        case .capsule(let capsule, _): path = capsule.file.path
        case .archive(let file, _): path = file.path
        }
        if HostPath(source.argument) == .standardStream {
            guard let file = RealPath.ofStandardInput() else { return }
            path = file
        }
        for root in target.roots where try FileProbe.leads(path, to: root.path) {
            throw CapsuleError(
                .usage, "is inside the container to restore, or is that container", path: path,
                hint: "move it out of the container first")
        }
        for root in target.roots { try InputPaths([path.bytes]).refuse(root.path, hint: "restore it from a capsule") }
    }

    /// Refuses directories that are never changed as containers, before anything in them is listed.
    static func refusePlaces(_ roots: [RootDirectory]) throws(CapsuleError) {
        for root in roots {
            let path = (try? RealPath.resolve(root.path)) ?? root.path
            let reason: String
            if FileProbe.areSame(path, HostPath("/")) {
                reason = "is the root directory"
            } else if let mount = MountPoints.first(below: path) {
                reason = "contains a mount point, \(mount)"
            } else if try DirectoryReplacement.isHome(root.path) {
                reason = "is the home directory, or contains it"
            } else {
                continue
            }
            throw CapsuleError(reason, path: root.path, hint: "name the container's own directory")
        }
    }

    /// Refuses a container whose metadata has another identifier than the source of the change, or than the app group.
    /// - Parameters:
    ///   - source: the app that the change was made for; nil if it is not known.
    ///   - subject: the change in a message, as in `the version is of`.
    ///   - verb: the verb in the hint, as in `restores it`.
    ///   - unknown: the words for a source of an unknown app; nil to accept one.
    func refuseOther(
        _ target: LiveTarget, source: PlistString?, _ subject: String, _ verb: String, unknown: String? = nil
    ) throws(CapsuleError) {
        for (root, identifier) in target.givenGroups {
            guard let found = Self.identifier(in: root), found != identifier else { continue }
            throw CapsuleError(
                "is the container of \"\(HostPath(found))\", not of the app group \"\(HostPath(identifier))\"",
                path: root.path, hint: "name the app group's own directory: '--group \(HostPath(identifier))=DIR'")
        }
        guard !options.allowsOtherApp, let own = target.container.source.bundleIdentifier, own != source,
            let other = source?.quoted ?? unknown
        else { return }
        throw CapsuleError(
            "is the container of \(own.quoted), but \(subject) \(other)", path: target.path,
            hint: "'--different-app' \(verb) anyway")
    }

    /// Refuses a plan by which files go from a directory that is not known to be the app's.
    /// - Parameter version: the state that the target gets; nil if files are only deleted.
    func refuseLosses(_ planner: TargetPlanner, version: OpenedContainer?) throws(CapsuleError) {
        let target = planner.target
        // No app keeps a repository in its container without its version having it.
        if let path = DirectoryReplacement.repository(among: planner.deletions) {
            throw CapsuleError(
                path.isRoot
                    ? "is a repository, which would be deleted" : "contains a repository, \(path), which would be deleted",
                path: target.path,
                hint: version == nil || path.isRoot
                    ? "move it elsewhere, or name another directory"
                    : "'--keep \(HostPath(Glob(literal: path.bytes).pattern).shellWord)' keeps it, or name another directory")
        }
        if options.allowsAnyDirectory { return }
        let entries = target.container.entries
        let lost = planner.items.filter { $0.old != nil && ($0.new == nil || $0.hasOtherContent) }.compactMap(\.old)
        for (root, numbers) in Dictionary(grouping: lost, by: { entries[$0].root }).sorted(by: { $0.key < $1.key }) {
            let isKnown = root == .tree ? Self.metadata(of: target) != nil : doubt(root, of: target, nil) == nil
            let repository =
                isKnown ? nil : numbers.lazy.compactMap { DirectoryReplacement.repository(around: entries[$0].path) }.first
            let changed = repository.map { "is not known to be the app's, and has a repository, \($0)" }
            guard let doubt = doubt(root, of: target, version) ?? changed else { continue }
            let files = numbers.filter { entries[$0].kind != .directory }
            let named = (files.isEmpty ? numbers : files)
            let some = named.prefix(3).map { "\(entries[$0].path)" }.joined(separator: ", ")
            let count =
                files.isEmpty
                ? Quantity.counted(UInt64(named.count), "directory", "directories")
                : Quantity.counted(UInt64(files.count), "file", "files")
            throw CapsuleError(
                "\(doubt); \(count) would be deleted\(version == nil ? "" : " or replaced"): \(some)\(named.count > 3 ? ", …" : "")",
                path: target.directory(of: root), hint: "'--any-directory' does it anyway, and lists what is deleted")
        }
    }

    /// Returns the reason why a directory is not known to be the one that the version or the class of noise is for; nil if it is.
    private func doubt(_ root: TreeRoot, of target: LiveTarget, _ version: OpenedContainer?) -> String? {
        let own = Self.metadata(of: target)
        let names = TopNames(target.container, root)
        if let number = root.groupNumber {
            let identifier = target.container.groups[number]
            // It was found in its simulator, and only its own files take part.
            if identifier == ContainerNames.keychain, target.advice != nil { return nil }
            if let given = target.givenGroups.first(where: { $0.identifier == identifier }) {
                if Self.identifier(in: given.root) != nil { return nil }
            } else if own != nil {
                return nil
            }
            let wanted = version.flatMap { version in
                target.root(of: root, as: version).map { TopNames(version, $0) }
            }
            let others = names.others(than: wanted, or: [Array("Library".utf8)])
            return others.map { "does not look like the app group \"\(HostPath(identifier))\", because it has \($0)" }
        }
        let wanted = version.map { TopNames($0, root) }
        if let own {
            guard let version, version.source.bundleIdentifier == nil else { return nil }
            if version.layout == .directory {
                return "is the container of \(own.quoted), but the version is of a plain directory"
            }
        }
        let isContainer = version?.layout != .directory
        let word = isContainer ? "this app's container" : "the directory that was packed"
        if isContainer != names.isContainer, wanted?.isContainer != names.isContainer {
            return
                "does not look like \(word), because it has \(names.isContainer ? "" : "no ")Library with Documents, tmp or SystemData"
        }
        if !isContainer, let name = version?.name, name != target.path.name, names.has(directory: name) {
            return "may be the directory around \(word), because it has \(HostPath(name))"
        }
        let others = names.others(than: wanted, or: isContainer ? DirectoryReplacement.ofApps : [])
        if let others { return "does not look like \(word), because it has \(others)" }
        guard !isContainer, let wanted, names.shared(with: wanted) * 2 <= wanted.count else { return nil }
        return "does not look like \(word), because it has only \(names.shared(with: wanted)) of its \(wanted.count) names"
    }

    /// Returns the bundle identifier in a container's metadata. A directory's name is none: `john.doe` may be anything.
    private static func metadata(of target: LiveTarget) -> PlistString? {
        let source = target.container.source
        let isNamedByMetadata = source.kind == .bundle || source.kind == .macData || identifier(in: target.roots[0]) != nil
        return isNamedByMetadata ? source.bundleIdentifier : nil
    }

    private static func identifier(in root: RootDirectory) -> [UInt8]? {
        ContainerMetadata(
            info: nil, identity: try? root.readFile(named: ContainerShape.identity, limit: ContainerMetadata.longestDocument)
        ).bundleIdentifier
    }
}

/// The names at the top of an app's data or of an app group.
private struct TopNames {
    private var directories: Set<[UInt8]> = []
    private var files: Set<[UInt8]> = []
    /// The names that may be anywhere: the container manager's metadata, and what the Finder writes where one looks.
    private static let anywhere: Set<[UInt8]> = [ContainerShape.identity, Array(".DS_Store".utf8)]

    init(_ container: OpenedContainer, _ root: TreeRoot) {
        let prefix = root.groupNumber.map { ContainerShape.appGroups + [0x2F] + container.groups[$0] + [0x2F] } ?? []
        func name(_ path: [UInt8]) -> [UInt8]? {
            guard path.count > prefix.count, path.starts(with: prefix) else { return nil }
            return Array(path[prefix.count...].prefix { $0 != UInt8(ascii: "/") })
        }
        for entry in container.entries where entry.root == root {
            guard let name = name(entry.path.bytes) else { continue }
            let isTop = entry.path.bytes.count == prefix.count + name.count
            if isTop, entry.kind != .directory { files.insert(name) } else { directories.insert(name) }
        }
        // What could not be packed was in the directory as well.
        for omission in container.omitted { if let name = name(omission.path) { files.insert(name) } }
    }

    var count: Int { directories.count + files.count }

    func shared(with other: TopNames) -> Int {
        directories.union(files).intersection(other.directories.union(other.files)).count
    }

    func has(directory name: [UInt8]) -> Bool { directories.contains(name) }

    /// True if the names of the directories are those of a container.
    var isContainer: Bool {
        ContainerShape.judge(name: [], directories: directories, files: []).0 == .container
    }

    /// Returns the first name that neither the wanted directory nor a container has; nil if there is none.
    func others(than wanted: TopNames?, or known: Set<[UInt8]>) -> String? {
        directories.union(files).subtracting(Self.anywhere).subtracting(known)
            .subtracting((wanted?.directories ?? []).union(wanted?.files ?? []))
            .min { $0.lexicographicallyPrecedes($1) }.map { "\(HostPath($0))" }
    }
}
