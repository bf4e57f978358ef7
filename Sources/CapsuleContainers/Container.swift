package import CapsuleArchive
package import CapsuleCore
import CapsuleSystem
import Synchronization

/// A container as the user names it: a path, `FILE@VERSION`, `sim:[DEVICE/]BUNDLE-ID`, or `-` for standard input. The name is
/// resolved only once, because standard input can't be read a second time.
package final class Container: Sendable {
    /// The name for messages and reports.
    package let argument: [UInt8]
    private let given: [UInt8]
    private let warn: @Sendable (CapsuleError) -> Void
    private let takesGroups: Bool
    package let keychain: KeychainUse
    private let note: @Sendable (String) -> Void
    private let resolved = Mutex<Form?>(nil)
    private let ownGroups = Mutex<[(identifier: [UInt8], directory: HostPath)]>([])

    /// - Parameters:
    ///   - takesGroups: true if an app on a simulator includes its app groups.
    ///   - keychain: what is done with the device's keychain.
    ///   - note: prints how the groups were found, if that is a guess, and what is left out.
    package init(
        _ argument: [UInt8], takesGroups: Bool = false, keychain: KeychainUse = .asStored,
        warn: @escaping @Sendable (CapsuleError) -> Void = { _ in },
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.argument = RemoteName.shown(argument)
        given = argument
        self.takesGroups = takesGroups
        self.keychain = keychain
        self.note = note
        self.warn = warn
    }

    package convenience init(
        _ argument: [UInt8], holding file: CapsuleFile, warn: @escaping @Sendable (CapsuleError) -> Void
    ) throws(CapsuleError) {
        self.init(argument, warn: warn)
        let form = try self.file(file, .latest)
        resolved.withLock { $0 = form }
    }

    package enum Form: Sendable {
        case live(HostPath)
        case capsule(CapsuleReader, VersionSelector)
        case archive(CapsuleFile, name: [UInt8])
    }

    package func resolve() throws(CapsuleError) -> Form {
        if let form = resolved.withLock({ $0 }) { return form }
        let form = try find()
        if case .live(let path) = form, keychain == .taken {
            let directory = try SimulatorKeychain.directory(besides: path)
            ownGroups.withLock { $0.append((ContainerNames.keychain, directory)) }
        }
        resolved.withLock { $0 = form }
        return form
    }

    private func find() throws(CapsuleError) -> Form {
        if HostPath(argument) == .standardStream { return try file(try StandardInput.spool(for: .container), .latest) }
        if let name = try RemoteName(given) { return try file(try name.open(), try name.selector()) }
        let path = HostPath(argument)
        if FileProbe.isDirectory(path) { return .live(path) }
        // A path that exists takes precedence over FILE@VERSION.
        if try FileProbe.exists(path) { return try file(try Self.open(path), .latest) }
        if let name = ContainedName(argument) { throw Self.isPart(name, path) }
        if let name = VersionedName(argument) {
            if FileProbe.isDirectory(name.file) { throw Self.noVersions(name.file) }
            let selector = try name.selector()
            return try file(try Self.open(name.file), selector)
        }
        if let name = SimulatorName(argument) {
            let found = try name.resolve(takesGroups: takesGroups, warn: warn)
            if let text = found.groups.note { note(text) }
            ownGroups.withLock { $0 = found.groups.groups }
            return .live(found.path)
        }
        // Opening the path as it was given throws the error that says what is wrong.
        do throws(CapsuleError) {
            return try file(try Self.open(path), .latest)
        } catch {
            throw error.hinting(error.code == .notFound ? SimulatorName.hint(for: argument) : nil)
        }
    }

    /// Lists the container for a command that only looks at it. Directories that can't be listed are skipped with a warning, and an
    /// overlay capsule is accepted, too.
    package func openLeniently(jobs: Int = 1) throws(CapsuleError) -> OpenedContainer {
        if case .capsule(let capsule, let selector) = try resolve(), capsule.newest.isOverlay {
            return try StoredVersion(capsule, selector).opened
        }
        let opened = try open(ContainerOptions(skipsUnreadable: true, jobs: jobs))
        warnOfUnreadable(in: opened)
        return opened
    }

    /// Returns the groups that were found of an app on a simulator, without those that the user named.
    package func foundGroups(
        besides given: [(identifier: [UInt8], directory: HostPath)]
    ) throws(CapsuleError) -> [(identifier: [UInt8], directory: HostPath)] {
        _ = try resolve()
        let named = Set(given.map(\.identifier))
        return ownGroups.withLock { $0 }.filter { !named.contains($0.identifier) }
    }

    package var isLive: Bool {
        get throws(CapsuleError) {
            if case .live = try resolve() { true } else { false }
        }
    }

    /// - Throws: `usage` for an overlay capsule, which looks like a container to stock tools but holds only a part of one.
    package func refuseOverlay() throws(CapsuleError) {
        guard case .capsule(let capsule, _) = try resolve() else { return }
        try capsule.refuseOverlay(as: HostPath(argument))
    }

    package func warnOfUnreadable(in opened: OpenedContainer) {
        for omission in opened.unlistedDirectories { warn(CapsuleError(omission.reason, path: HostPath(omission.path))) }
    }

    /// - Throws: also for an overlay capsule.
    package func open(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        let opened = try openWhole(options)
        guard opened.hasKeychain else {
            if options.needsKeychain {
                throw CapsuleError(
                    .usage, "has no keychain", path: HostPath(argument),
                    hint:
                        "'capsule pack' with '--keychain' adds that of an app's simulator; in a project, the key Keychain sets it"
                )
            }
            return opened
        }
        guard keychain == .leftOut else { return opened }
        note("the device's keychain is left out: '--keychain' includes it")
        return opened.withoutKeychain()
    }

    private func openWhole(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        try refuseOverlay()
        switch try resolve() {
        case .live(let path):
            var options = options
            options.groups += try foundGroups(besides: options.groups)
            var opened = try LiveContainer.open(path, options: options)
            opened.argument = argument
            return opened
        case .capsule(let capsule, let selector):
            var opened = try StoredVersion(capsule, selector).opened.filtered(options)
            opened.inputModes = inputModes(capsule.file)
            opened.argument = argument
            return opened
        case .archive(let file, let name):
            var opened = try ArchivedContainer.open(file, name: name, options: options)
            for remark in opened.remarks { warn(CapsuleError(remark, path: file.path)) }
            opened.inputModes = inputModes(file)
            opened.argument = argument
            return opened
        }
    }

    private func inputModes(_ file: CapsuleFile) -> [FileMode] {
        let isStream = HostPath(argument) == .standardStream
        return [(isStream ? HostPath.standardStream : file.path).inputMode].compactMap { $0 }
    }

    private func file(_ file: CapsuleFile, _ selector: VersionSelector) throws(CapsuleError) -> Form {
        let capsule: CapsuleReader
        do throws(CapsuleError) {
            capsule = try CapsuleReader(file)
        } catch {
            guard error.code == .notCapsule else { throw error.hinting(StoredVersion.hint(for: error)) }
            if let plain = try EncryptedFile.decrypt(file) { return try self.file(plain, selector) }
            guard selector == .latest else {
                throw Self.noVersions(file.path)
            }
            return .archive(file, name: HostPath(argument).name)
        }
        try checkTail(of: capsule, selector)
        return .capsule(capsule, selector)
    }

    /// Checks the tail of a capsule. A torn tail hides no complete version, so it is only a warning. A damaged one may hide
    /// versions, so only a version that is selected by its number is read.
    private func checkTail(of capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
        let last = capsule.newest.version
        let path = capsule.file.path
        switch capsule.tail {
        case .whole, .growing:
            break
        case .torn(let end):
            warn(
                CapsuleError(
                    "the tail from byte \(end) to the end is incomplete: version \(last) is the last complete one", path: path,
                    hint: Self.hint(for: capsule.tail, of: path)))
        case .damaged(let end):
            guard case .number = selector else {
                throw CapsuleError(
                    "damaged from byte \(end) on: the last intact version is \(last); select it with '@\(last)'", path: path,
                    hint: Self.hint(for: capsule.tail, of: path))
            }
            warn(CapsuleError("damaged from byte \(end) on", path: path, hint: Self.hint(for: capsule.tail, of: path)))
        }
    }

    package static func hint(for tail: CapsuleReader.Tail, of path: HostPath) -> String? {
        switch tail {
        case .whole, .growing: nil
        case .torn: "'capsule repair \(path.shellWord)' removes the incomplete tail"
        case .damaged: "'capsule repair \(path.shellWord)' cuts off the damaged tail and saves it as \(path).damaged"
        }
    }

    private static func isPart(_ name: ContainedName, _ path: HostPath) -> CapsuleError {
        CapsuleError(
            .usage, "is a path in a container, not a container", path: path,
            hint:
                "give the container and the path as two arguments: '\(HostPath(name.container).shellWord) \(name.path.shellWord)'"
        )
    }

    private static func noVersions(_ path: HostPath) -> CapsuleError {
        CapsuleError(
            .usage, "is not a capsule, and only a capsule has versions", path: path, hint: "omit the '@' and what follows it")
    }

    private static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleFile {
        try CapsuleFile(opening: path)
    }
}

extension CapsuleReader {
    package func refuseOverlay(as path: HostPath? = nil) throws(CapsuleError) {
        guard newest.isOverlay else { return }
        let path = path ?? file.path
        throw CapsuleError(
            .usage, "is an overlay, not a container", path: path, hint: "'capsule apply \(path.shellWord) TARGET' applies it")
    }
}

extension Container {
    /// Returns the directory of a live container, for a command that changes it.
    package func liveDirectory() throws(CapsuleError) -> HostPath {
        if HostPath(argument) == .standardStream {
            throw CapsuleError(.usage, "standard input is not a live container, and this command needs one")
        }
        let target = HostPath(argument)
        if SimulatorName(argument) == nil, let isThere = try? FileProbe.exists(target), !isThere {
            throw CapsuleError(
                .notFound, "the container does not exist", path: target,
                hint: SimulatorName.hint(for: argument) ?? "'capsule unpack' creates one from a capsule or an archive")
        }
        guard case .live(let path) = try resolve() else {
            throw CapsuleError(
                .usage, "is not a directory, and this command needs a live container", path: HostPath(argument),
                hint: "'capsule unpack' creates one from a capsule or an archive")
        }
        return path
    }

    /// Returns the path beside which killed commands may have left files: the directory of a live container, or any other path as
    /// it was named.
    package func recoverablePath() throws(CapsuleError) -> HostPath {
        if HostPath(argument) == .standardStream { return try liveDirectory() }
        if SimulatorName(argument) != nil { return try liveDirectory() }
        return HostPath(argument)
    }
}
