import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

extension Packer {
    /// What an append allows.
    public struct AppendOptions: Sendable {
        /// Whether a version may be of another app than the one before.
        public var allowsDifferentApp = false
        /// How long to wait for somebody else who writes to the capsule, in seconds.
        public var lockTimeout = 10.0

        /// Nothing unusual.
        public init() {}
    }

    /// Packs `container` as the next version of a capsule, or as the first where there is none yet.
    ///
    /// The capsule is locked. Until the new version is whole, readers see those before; if it fails, the file is as it was.
    ///
    /// - Parameters:
    ///   - container: what is packed; it is only read.
    ///   - file: the capsule; nil is `NAME.capsule` in the current directory.
    ///   - append: what an append is to allow, and how long it waits.
    public func append(_ container: Container, to file: HostPath?, _ append: AppendOptions) throws(CapsuleError) -> Outcome {
        CreationMask.prepare()
        var listed: OpenedContainer?
        if file == nil { listed = try open(container) }
        let target = file ?? HostPath((listed?.name ?? []) + Array(".capsule".utf8))
        // What can change is listed anew under the lock; what can't need not be read twice.
        if listed?.content.isLive == true { listed = nil }
        while true {
            if let locked = try Self.lock(target, append.lockTimeout) {
                // A link is followed: what it leads to would be packed and written at once. A version of the capsule itself may be
                // appended to it again.
                let read = try container.isLive ? [container.argument] : []
                let file = try CapsuleError.wrapping { () throws(FileSystemError) in try RealPath.ofFile(target) }
                try refuse(file, overwriting: read)
                let capsule = try Self.capsule(locked)
                // Listed under the lock: what it finds must not be old by the time it is packed.
                var opened: OpenedContainer
                if let known = listed { opened = known } else { opened = try open(container) }
                listed = nil
                return try self.append(&opened, to: capsule, locked, append)
            }
            do throws(CapsuleError) {
                return try pack(container, to: target)
            } catch {
                guard error.code == .exists else { throw error }
                // Either somebody else has made it meanwhile, or it never can be opened.
                let found = try CapsuleError.wrapping { () throws(FileSystemError) in
                    try Syscall.statusIfThere(target, following: true)
                }
                guard found != nil else {
                    throw CapsuleError("is a link to a file that does not exist", path: target, hint: "name the file to create")
                }
            }
        }
    }

    /// The lock of a file that is to be replaced; nil where there is none, or none that we may write to.
    static func lockIfAllowed(_ path: HostPath, _ timeout: Double) throws(CapsuleError) -> LockedFile? {
        do throws(FileSystemError) {
            return try LockedFile(path, timeout: timeout)
        } catch {
            guard error.code == .locked || error.code == .interrupted else { return nil }
            throw CapsuleError(error)
        }
    }

    /// The capsule's lock; nil where there is no file of that name.
    private static func lock(_ path: HostPath, _ timeout: Double) throws(CapsuleError) -> LockedFile? {
        do throws(FileSystemError) {
            return try LockedFile(path, timeout: timeout)
        } catch {
            let failure = CapsuleError(error, opening: path) { "'capsule pack --append -o \($0)' adds a version to the file" }
            if error.code == .notFound, failure.code != .usage { return nil }
            throw failure
        }
    }

    /// The locked file as a capsule that a version can follow.
    private static func capsule(_ locked: LockedFile) throws(CapsuleError) -> CapsuleReader {
        let capsule: CapsuleReader
        do throws(ArchiveError) {
            let file = try ArchiveError.wrapping { () throws(FileSystemError) in
                try CapsuleFile(adopting: try locked.duplicate(), path: locked.path)
            }
            capsule = try CapsuleReader(file)
        } catch {
            let hint =
                error.code == .notCapsule
                ? "omit '--append' to make a new capsule" : StoredVersion.hint(for: error)
            throw CapsuleError(error, hint: hint)
        }
        try capsule.refuseOverlay()
        if case .damaged(let end) = capsule.tail {
            throw CapsuleError(
                "damaged from byte \(end) on: nothing can be appended", path: locked.path,
                hint: "'capsule repair \(locked.path)' moves the damaged part to a separate file")
        }
        return capsule
    }

    private func append(
        _ opened: inout OpenedContainer, to capsule: CapsuleReader, _ locked: LockedFile, _ append: AppendOptions
    ) throws(CapsuleError) -> Outcome {
        let history = try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            try CapsuleHistory(capsule, jobs: options.jobs, cache: options.container.cacheDirectory.map { CatalogueCache($0) })
        }
        try check(opened, against: history, append)
        let output = AppendedMembers(locked, behind: history.newest)
        let reopen = try Self.close(locked, to: opened.fileMode)
        do throws(CapsuleError) {
            let outcome = try write(
                &opened, to: locked.path, before: history.newest.end,
                torn: capsule.tail == .whole ? 0 : capsule.file.length - history.newest.end
            ) {
                (opened, versions) throws(CapsuleError) in
                let writer = CapsuleWriter(
                    output: output, codec: capsule.codec, following: history.newest,
                    storedBlock: { (digest) throws(ArchiveError) in try history.block(of: digest) })
                return try versions.write(&opened, to: writer, after: history)
            }
            // A file that was put in the capsule's place meanwhile does not have the version.
            try CapsuleError.wrapping { () throws(FileSystemError) in try locked.checkName() }
            opened.statCache?.save()
            return outcome
        } catch {
            output.rollBack()
            reopen()
            throw error
        }
    }

    /// Takes the right to read a capsule from those who can't read what is appended to it.
    ///
    /// - Returns: what gives it back, should nothing be appended.
    private static func close(_ locked: LockedFile, to mode: FileMode) throws(CapsuleError) -> () -> Void {
        do throws(FileSystemError) {
            let before = try locked.status().mode
            // The owner's bits stay, and what is more than reading and writing.
            let after = before.within(FileMode(mode.rawValue | 0o7711))
            if after == before { return {} }
            try locked.setMode(after)
            return { try? locked.setMode(before) }
        } catch {
            throw CapsuleError(
                error, hint: "the container is private, so the capsule must be private too: its owner can change its mode")
        }
    }

    /// - Throws: the container can't be a version of this capsule.
    private func check(
        _ opened: OpenedContainer, against history: CapsuleHistory, _ append: AppendOptions
    ) throws(CapsuleError) {
        let capsule = history.capsule
        let path = capsule.file.path
        let newest = try CapsuleError.wrappingArchive { () throws(ArchiveError) in try capsule.manifest(of: history.newest) }
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
        if let label = options.label,
            let version = try CapsuleError.wrappingArchive({ () throws(ArchiveError) in try history.version(labelled: label) })
        {
            throw CapsuleError(
                "version \(version) already has the label '\(label.text)'", path: path,
                hint: "choose a different label")
        }
        guard history.newest.version < UInt32.max else { throw CapsuleError("has too many versions", path: path) }
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

/// The end of a locked capsule as the output of a writer: what is there stays as it is, and what was written is taken back
/// unless the version becomes whole.
final class AppendedMembers: MemberOutput {
    private let file: LockedFile
    /// Where the last whole version ends.
    private let start: UInt64
    private var hasWritten = false
    private var isFinished = false

    init(_ file: LockedFile, behind footer: Footer) {
        self.file = file
        start = footer.end
    }

    /// After a failure: makes the file what it was. Where that fails too, a torn tail stays, which every reader knows.
    func rollBack() {
        if hasWritten, !isFinished { try? file.truncate(to: start) }
    }

    var path: HostPath { file.path }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        if !hasWritten {
            hasWritten = true
            // The torn tail of an append that did not finish must not stand behind what is shorter.
            if try file.status().size > start { try file.truncate(to: start) }
        }
        try file.write(bytes, at: offset)
    }

    func rewind(to offset: UInt64) throws(FileSystemError) {
        // Left behind it would be no torn tail, should we be stopped: members don't end where it begins.
        if hasWritten { try file.truncate(to: offset) }
    }

    func synchronize() throws(FileSystemError) { try file.sync() }

    func finish(length: UInt64) throws(FileSystemError) {
        try file.truncate(to: length)
        try file.sync()
        isFinished = true
    }
}

/// A staged file as the output of a capsule writer.
final class StagedMembers: MemberOutput {
    private let file: StagedFile

    init(_ file: StagedFile) { self.file = file }

    var path: HostPath { file.target }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) { try file.write(bytes, at: offset) }

    func finish(length: UInt64) throws(FileSystemError) { try file.truncate(to: length) }
}

/// A spool file as the output of a capsule writer.
final class SpooledMembers: MemberOutput {
    private let file: SpoolFile

    init(_ file: SpoolFile) { self.file = file }

    var path: HostPath { .standardStream }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) { try file.write(bytes, at: offset) }

    func finish(length: UInt64) throws(FileSystemError) { try file.truncate(to: length) }
}
