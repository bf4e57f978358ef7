import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem

/// Takes away what stands behind a capsule's last whole version.
public struct Repairer: Sendable {
    /// How long to wait for who writes to the file.
    private let lockTimeout: Double
    private let jobs: Int
    private let progress: (any ProgressObserver)?

    /// - Parameters:
    ///   - lockTimeout: seconds.
    ///   - jobs: how many threads read the versions that stay.
    ///   - progress: told how far that is.
    public init(lockTimeout: Double, jobs: Int = 1, progress: (any ProgressObserver)? = nil) {
        self.lockTimeout = lockTimeout
        self.jobs = jobs
        self.progress = progress
    }

    /// Repairs the capsule at `path`, under its lock.
    ///
    /// A torn tail is cut off: it never was whole. A damaged one is first copied to `FILE.damaged`. What fails leaves the
    /// capsule as it was. The versions that stay are then verified, so that nobody takes for whole what no cut mends.
    ///
    /// - Throws: ``CapsuleError`` also if nothing can be done: if there is no whole version, or what is damaged stands before
    ///   the last one.
    public func repair(_ path: HostPath) throws(CapsuleError) -> RepairOutcome {
        var outcome = try cutTail(path)
        outcome.remaining = try Verifier(isStrict: false, jobs: jobs, progress: progress).verify(path)
        return outcome
    }

    private func cutTail(_ path: HostPath) throws(CapsuleError) -> RepairOutcome {
        let file = try lock(path)
        let capsule: CapsuleReader
        do throws(ArchiveError) {
            let shared = try ArchiveError.wrapping { () throws(FileSystemError) in
                try CapsuleFile(adopting: try file.duplicate(), path: path)
            }
            capsule = try CapsuleReader(shared)
        } catch {
            throw CapsuleError(error, hint: Self.hint(for: error))
        }
        let versions = try versions(of: capsule)
        var outcome = RepairOutcome(tail: .whole, offset: capsule.file.length, versions: versions.map(\.version))
        switch try tail(of: capsule, versions) {
        case .whole, .growing: return outcome
        case .torn(let end):
            outcome = RepairOutcome(tail: .torn, offset: end, versions: versions.map(\.version))
        case .damaged(let end):
            outcome = RepairOutcome(
                tail: .damaged, offset: end, versions: versions.filter { $0.segmentStart < end }.map(\.version))
            outcome.lost = try CapsuleError.wrappingArchive { () throws(ArchiveError) in
                try TailVersions.manifests(in: capsule, from: end)
            }
        }
        outcome.dropped = capsule.file.length - outcome.offset
        outcome.saved = try cut(file, to: outcome.offset, savesTail: outcome.tail == .damaged)
        return outcome
    }

    private func lock(_ path: HostPath) throws(CapsuleError) -> LockedFile {
        do throws(FileSystemError) {
            return try LockedFile(path, timeout: lockTimeout)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule repair \($0)' repairs the file" }
        }
    }

    /// The footers of all versions, newest first; a chain that is broken can't be mended.
    private func versions(of capsule: CapsuleReader) throws(CapsuleError) -> [Footer] {
        let (versions, failure) = capsule.readableFooters()
        guard let failure else { return versions }
        guard failure.code == .damaged else { throw CapsuleError(failure) }
        let readable = VersionNumbers(versions.map(\.version))
        throw CapsuleError(
            "\(failure.message), and cutting off the tail does not repair it: \(readable) can still be read", path: failure.path,
            hint: "'capsule compact --keep \(readable.list) \(failure.path)' keeps the readable versions")
    }

    /// What follows the last version of which anything can be read: without its manifest and its index's root, or where these
    /// don't agree, nothing of the newest can be, and it is a part of the tail.
    private func tail(of capsule: CapsuleReader, _ versions: [Footer]) throws(CapsuleError) -> CapsuleReader.Tail {
        guard capsule.tail == .whole, versions.count > 1 else { return capsule.tail }
        do throws(ArchiveError) {
            _ = try capsule.head(of: capsule.newest)
            return .whole
        } catch {
            guard error.code == .damaged else { throw CapsuleError(error) }
            return .damaged(capsule.newest.segmentStart)
        }
    }

    /// - Returns: where the tail was saved, if it was to be.
    private func cut(_ file: LockedFile, to length: UInt64, savesTail: Bool) throws(CapsuleError) -> HostPath? {
        let copy = savesTail ? try save(file, from: length) : nil
        do throws(FileSystemError) {
            try Interruption.check()
            try file.truncate(to: length)
        } catch {
            copy?.discard()
            throw CapsuleError(error)
        }
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            throw CapsuleError(
                error, hint: copy.map { "the tail was cut off and saved in \($0.path); it may reappear after a power failure" })
        }
        return copy?.path
    }

    private func save(_ file: LockedFile, from offset: UInt64) throws(CapsuleError) -> TailCopy {
        let path = HostPath(file.path.bytes + Array(".damaged".utf8))
        do throws(FileSystemError) {
            return try TailCopy(of: file, from: offset, as: path)
        } catch {
            guard error.code == .exists else { throw CapsuleError(error) }
            throw CapsuleError(
                .exists, "already exists, and the damaged tail would be saved there", path: path, hint: "move it elsewhere first")
        }
    }

    private static func hint(for error: ArchiveError) -> String? {
        switch error.code {
        case .torn, .damaged: "tar may still extract files from it"
        case .notCapsule: "'capsule pack' turns a container into a capsule"
        case .newerFormat: "repair it with a newer capsule"
        default: nil
        }
    }
}

/// What a repair found and did.
public struct RepairOutcome: Sendable {
    /// What stood behind the last whole version.
    public enum Tail: String, Sendable {
        /// Nothing.
        case whole
        /// What an interrupted append leaves.
        case torn
        /// Anything else.
        case damaged
    }

    /// What stood behind the last whole version.
    public let tail: Tail
    /// Where the last whole version ends: the length of the file.
    public let offset: UInt64
    /// The numbers of the versions that are there, newest first.
    public let versions: [UInt32]
    /// How many bytes were cut off.
    public internal(set) var dropped: UInt64 = 0
    /// Where they are now; nil for a torn tail, which never was whole.
    public internal(set) var saved: HostPath?
    /// The manifests that could be read in a damaged tail, oldest first.
    public internal(set) var lost: [Manifest] = []

    /// What is wrong with the versions that are there: no cut mends it.
    public internal(set) var remaining = Verifier.Outcome()

    init(tail: Tail, offset: UInt64, versions: [UInt32]) {
        self.tail = tail
        self.offset = offset
        self.versions = versions
    }
}
