import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

extension Packer {
    package struct AppendOptions: Sendable {
        package var allowsDifferentApp = false
        /// True if the label of the new version may be one that another version has. It then names the new one.
        package var movesLabel = false
        /// The number of seconds to wait for another process that writes to the capsule.
        package var lockTimeout = 10.0

        package init() {}
    }

    /// Packs `container` as the next version of a capsule, or as the first version if the capsule does not exist. The capsule is
    /// locked. Until the new version is complete, readers see the previous ones. If the append fails, the file is unchanged.
    /// - Parameters:
    ///   - file: the capsule; nil for `NAME.capsule` in the current directory.
    package func append(_ container: Container, to file: HostPath?, _ append: AppendOptions) throws(CapsuleError) -> Outcome {
        CreationMask.prepare()
        var listed: OpenedContainer?
        if file == nil { listed = try open(container) }
        let target = file ?? HostPath((listed?.name ?? []) + Array(".capsule".utf8))
        // A container that can change is listed again under the lock. Any other need not be read twice.
        if listed?.contents.isLive == true { listed = nil }
        while true {
            if let locked = try Self.lock(target, append.lockTimeout) {
                // A link is followed, because otherwise its target could be packed and written at the same time. A version of the
                // capsule itself may be appended to it again.
                let read = try container.isLive ? [container.argument] : []
                let file = try RealPath.ofFile(target)
                try refuse(file, overwriting: read)
                let capsule = try CapsuleReader(appendingTo: locked, hint: "omit '--append' to make a new capsule")
                // The container is listed under the lock, so that the list is not out of date when it is packed.
                let (jobs, known) = (options.jobs, listed)
                listed = nil
                var (opened, base) = try WorkerThreads.run(threads: jobs) {
                    Result { () throws(CapsuleError) in try BaseReading(capsule, readsBack: true, jobs: max(1, jobs - 1)) }
                } _: { () throws(CapsuleError) in
                    if let known { known } else { try open(container) }
                }
                return try self.append(&opened, to: capsule, base, locked, append)
            }
            do throws(CapsuleError) {
                return try pack(container, to: target)
            } catch {
                guard error.code == .exists else { throw error }
                // Another process has created the file in the meantime, or it can never be opened.
                let found = try Syscall.statusIfThere(target, following: true)
                guard found != nil else {
                    throw CapsuleError("is a link to a file that does not exist", path: target, hint: "name the file to create")
                }
            }
        }
    }

    /// Returns the lock of a file that will be replaced; nil if there is no file, or if it can't be locked, for example because
    /// it is not writable.
    static func lockIfAllowed(_ path: HostPath, _ timeout: Double) throws(CapsuleError) -> LockedFile? {
        do throws(CapsuleError) {
            return try LockedFile(path, timeout: timeout)
        } catch {
            guard error.code == .locked || error.code == .interrupted else { return nil }
            throw error
        }
    }

    private static func lock(_ path: HostPath, _ timeout: Double) throws(CapsuleError) -> LockedFile? {
        do throws(CapsuleError) {
            return try LockedFile(path, timeout: timeout)
        } catch {
            let failure = CapsuleError(error, opening: path) {
                "'capsule pack CONTAINER --append -o \($0.shellWord)' adds a version to the file"
            }
            if error.code == .notFound, failure.code != .usage { return nil }
            throw failure
        }
    }

    private func append(
        _ opened: inout OpenedContainer, to capsule: CapsuleReader, _ base: Result<BaseReading, CapsuleError>,
        _ locked: LockedFile, _ append: AppendOptions
    ) throws(CapsuleError) -> Outcome {
        let history = CapsuleHistory(
            capsule, jobs: options.jobs, cache: options.container.cacheDirectory.map { CatalogCache($0) })
        try check(opened, against: history, append)
        let output = AppendedMembers(locked, behind: history.last)
        let reopen = try Self.close(locked, to: opened.fileMode)
        do throws(CapsuleError) {
            let outcome = try write(
                &opened, to: locked.path, before: history.last.end,
                torn: capsule.tail == .whole ? 0 : capsule.file.length - history.last.end
            ) {
                (opened, versions) throws(CapsuleError) in
                let writer = CapsuleWriter(
                    output: output, codec: capsule.codec, following: history.last, version: history.newest.version + 1,
                    storedBlock: { (digest) throws(CapsuleError) in try history.block(of: digest) })
                return try versions.write(&opened, to: writer, after: history, base.get())
            }
            // A file that replaced the capsule in the meantime does not have the version.
            try locked.checkName()
            opened.statCache?.save()
            return outcome
        } catch {
            output.rollBack()
            reopen()
            throw error
        }
    }

    /// Removes the permission to read a capsule from users who can't read the appended container.
    /// - Returns: a function that restores the mode if nothing is appended.
    private static func close(_ locked: LockedFile, to mode: FileMode) throws(CapsuleError) -> () -> Void {
        do throws(CapsuleError) {
            let before = try locked.status().mode
            // The owner's bits stay, and those other than reading and writing.
            let after = before.within(FileMode(mode.rawValue | 0o7711))
            if after == before { return {} }
            try locked.setMode(after)
            return { try? locked.setMode(before) }
        } catch {
            throw error.hinting("the container is private, so the capsule must be private too: its owner can change its mode")
        }
    }

    func check(
        _ opened: OpenedContainer, against history: CapsuleHistory, _ append: AppendOptions
    ) throws(CapsuleError) {
        let capsule = history.capsule
        let path = capsule.file.path
        let newest = try capsule.manifest(of: history.newest)
        if let codec = options.codec, codec.member != capsule.codec {
            throw CapsuleError(
                "is compressed with \(capsule.codec.name), and a capsule has only one codec", path: path, hint: "omit '--codec'")
        }
        if newest.layout != opened.layout {
            let (old, new) =
                newest.layout == .container ? ("a container", "a plain directory") : ("a plain directory", "a container")
            throw CapsuleError(
                "its versions are of \(old), but this is \(new)", path: path,
                hint: "'capsule info' shows the layout of each")
        }
        let (old, new) = (newest.source.bundleIdentifier, opened.source.bundleIdentifier)
        if !append.allowsDifferentApp, let old, let new, old != new {
            throw CapsuleError(
                "version \(newest.version) is of \(old.string), but this is of \(new.string)", path: path,
                hint: "'--different-app' appends it anyway")
        }
        if let label = options.label, !append.movesLabel {
            try capsule.refuseMoving(label, from: try capsule.version(labelled: label))
        }
        guard history.newest.version < UInt32.max else { throw CapsuleError("has too many versions", path: path) }
    }
}

extension CapsuleReader {
    /// Opens a locked file to which something will be appended.
    /// - Parameter hint: the suggestion if the file is not a capsule.
    convenience init(appendingTo locked: LockedFile, hint: String?) throws(CapsuleError) {
        try self.init(locked, hint: hint)
        try refuseOverlay()
    }

    /// Opens a locked file whose end is intact, or was not finished.
    convenience init(_ locked: LockedFile, hint: String?) throws(CapsuleError) {
        let file = try CapsuleFile(adopting: try locked.duplicate(), path: locked.path)
        try EncryptedFile.refuseChange(of: file)
        do throws(CapsuleError) {
            try self.init(file)
        } catch {
            throw error.hinting(error.code == .notCapsule ? hint : StoredVersion.hint(for: error))
        }
        if case .damaged(let end) = tail {
            throw CapsuleError(
                "damaged from byte \(end) on: nothing can be appended", path: locked.path,
                hint: "'capsule repair \(locked.path.shellWord)' moves the damaged part to a separate file")
        }
    }
}

extension MemberCodec {
    fileprivate var name: String {
        switch self {
        case .gzip: "gzip"
        case .zstd: "zstd"
        }
    }
}

/// The end of a locked capsule as the output of a writer. Existing versions are not changed, and what was written is removed
/// unless the version becomes complete.
final class AppendedMembers: MemberOutput {
    private let file: LockedFile
    /// The end of the last complete version.
    private let start: UInt64
    private var hasWritten = false
    private var isFinished = false

    init(_ file: LockedFile, behind footer: Footer) {
        self.file = file
        start = footer.end
    }

    /// Restores the file after a failure. If that fails too, a tail remains that every reader recognizes as an unfinished append.
    func rollBack() {
        if hasWritten, !isFinished { try? file.truncate(to: start) }
    }

    var path: HostPath { file.path }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        if !hasWritten {
            hasWritten = true
            // The tail of an unfinished append must not remain after a shorter one.
            if try file.status().size > start { try file.truncate(to: start) }
        }
        try file.write(bytes, at: offset)
    }

    func rewind(to offset: UInt64) throws(CapsuleError) {
        // If the process is stopped, the remaining bytes would not look like an unfinished append, because members don't end at
        // this offset.
        if hasWritten { try file.truncate(to: offset) }
    }

    func synchronize() throws(CapsuleError) { try file.sync() }

    func finish(length: UInt64) throws(CapsuleError) {
        try file.truncate(to: length)
        try file.sync()
        isFinished = true
    }
}

extension VersionWriter {
    /// Writes a container as a version after others. Contents that the capsule already has are not stored again.
    /// - Parameters:
    ///   - opened: the container, whose entries are taken out of it.
    ///   - read: the newest version of `history`.
    func write(
        _ opened: inout OpenedContainer, to writer: CapsuleWriter, after history: CapsuleHistory, _ read: BaseReading
    ) throws(CapsuleError) -> WrittenVersion {
        try check(opened)
        var (base, damaged) = (read.version, read.damaged)
        base.compare(with: opened.entries, jobs: options.jobs)
        try base.checkShape(besides: opened.entries.count, jobs: options.jobs)
        base.avoid(damaged)
        let selection = try AppendSelection(opened, after: history, base: base, avoiding: damaged, jobs: options.jobs)
        let packed = try packing { () throws(CapsuleError) in
            try StreamPacker.pack(
                &opened, adding: selection.additions, places: selection.places, isRead: { selection.isRead[$0] },
                options: options, writer: writer, progress: progress)
        }
        // More damage may have been found while packing.
        damaged = selection.additions.stored?.damaged ?? damaged
        base.avoid(damaged)
        var added: [(block: IndexRoot.Block, contents: [ContentDigest])] = []
        var written = try finish(opened, packed, writer, base: base) { block, entries in
            guard block.offset >= history.last.end else { return }
            added.append((block, entries.lazy.filter { $0.kind.hasContent }.map(\.digest)))
        }
        written.added = added
        written.damage = Self.damage(base.files(relyingOn: damaged), packed.entries)
        if let footer = writer.footer { history.remember(footer, added) }
        if options.endsProcess { _ = Unmanaged.passRetained(RetainedBuffers(entries: packed.entries, base: base)) }
        return written
    }

    private static func damage(_ files: [TreeEntry], _ entries: [TreeEntry]) -> Damage {
        Damage(
            files: files.count,
            storedAgain: files.count { file in
                entries.index(at: file.place).map { entries[$0].digest == file.digest } ?? false
            })
    }

    /// Data that stays in memory until the process ends.
    private final class RetainedBuffers {
        private let entries: [TreeEntry]
        private let base: BaseVersion

        init(entries: [TreeEntry], base: BaseVersion) {
            self.entries = entries
            self.base = base
        }
    }
}
