import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Removes the bytes after a capsule's last complete version.
package struct Repairer: Sendable {
    /// The number of seconds to wait for another process that writes to the file.
    private let lockTimeout: Double
    private let jobs: Int
    private let progress: (any ProgressObserver)?

    package init(lockTimeout: Double, jobs: Int = 1, progress: (any ProgressObserver)? = nil) {
        self.lockTimeout = lockTimeout
        self.jobs = jobs
        self.progress = progress
    }

    /// Repairs the capsule at `path`, under its lock. An unfinished append is cut off, because it never was complete. A damaged
    /// tail is first copied to `FILE.damaged`. If anything fails, the capsule is unchanged. The remaining versions are then
    /// verified, because cutting off the tail can't repair damage in them.
    /// - Throws: `CapsuleError`, also if nothing can be done: if there is no complete version, or if the damage is before the
    ///   last one.
    package func repair(_ path: HostPath) throws(CapsuleError) -> RepairOutcome {
        var outcome = try cutTail(path)
        outcome.remaining = try Verifier(isStrict: false, jobs: jobs, progress: progress).verify(path)
        return outcome
    }

    private func cutTail(_ path: HostPath) throws(CapsuleError) -> RepairOutcome {
        let file = try lock(path)
        let capsule: CapsuleReader
        let shared = try CapsuleFile(adopting: try file.duplicate(), path: path)
        try EncryptedFile.refuseChange(of: shared)
        do throws(CapsuleError) {
            capsule = try CapsuleReader(shared)
        } catch {
            throw error.hinting(Self.hint(for: error))
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
            outcome.lost = try TailVersions.manifests(in: capsule, from: end)
        }
        outcome.dropped = capsule.file.length - outcome.offset
        outcome.saved = try cut(file, to: outcome.offset, savesTail: outcome.tail == .damaged)
        return outcome
    }

    private func lock(_ path: HostPath) throws(CapsuleError) -> LockedFile {
        do throws(CapsuleError) {
            return try LockedFile(path, timeout: lockTimeout)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule repair \($0.shellWord)' repairs the file" }
        }
    }

    /// Returns the footers of all versions, newest first. Throws if the chain of footers is damaged, because that can't be
    /// repaired.
    private func versions(of capsule: CapsuleReader) throws(CapsuleError) -> [Footer] {
        let (versions, failure) = capsule.readableFooters()
        guard let failure else { return versions }
        guard failure.code == .damaged else { throw failure }
        let readable = VersionNumbers(versions.map(\.version))
        throw CapsuleError(
            "\(failure.message), and cutting off the tail does not repair it: \(readable) can still be read", path: failure.path,
            hint: "'capsule compact --keep \(readable.list) \(capsule.file.path.shellWord)' keeps the readable versions")
    }

    /// Returns the tail after the last readable version. If the manifest or the index root of the newest version can't be read,
    /// or if they don't match, nothing of this version can be read, and it is a part of the tail.
    private func tail(of capsule: CapsuleReader, _ versions: [Footer]) throws(CapsuleError) -> CapsuleReader.Tail {
        guard capsule.tail == .whole, versions.count > 1 else { return capsule.tail }
        do throws(CapsuleError) {
            _ = try capsule.head(of: capsule.newest)
            return .whole
        } catch {
            guard error.code == .damaged else { throw error }
            return .damaged(capsule.newest.segmentStart)
        }
    }

    /// - Returns: the path that the tail was saved to; nil if it was not saved.
    private func cut(_ file: LockedFile, to length: UInt64, savesTail: Bool) throws(CapsuleError) -> HostPath? {
        let copy = savesTail ? try save(file, from: length) : nil
        do throws(CapsuleError) {
            try Interruption.check()
            try file.truncate(to: length)
        } catch {
            copy?.discard()
            throw error
        }
        do throws(CapsuleError) {
            try file.sync()
        } catch {
            throw error.hinting(
                copy.map { "the tail was cut off and saved in \($0.path); it may reappear after a power failure" })
        }
        return copy?.path
    }

    private func save(_ file: LockedFile, from offset: UInt64) throws(CapsuleError) -> TailCopy {
        let path = HostPath(file.path.bytes + Array(".damaged".utf8))
        do throws(CapsuleError) {
            return try TailCopy(of: file, from: offset, as: path)
        } catch {
            guard error.code == .exists else { throw error }
            throw CapsuleError(
                .exists, "already exists, and the damaged tail would be saved there", path: path, hint: "move it elsewhere first")
        }
    }

    private static func hint(for error: CapsuleError) -> String? {
        switch error.code {
        case .torn, .damaged: "tar may still extract files from it"
        case .notCapsule: "'capsule pack' turns a container into a capsule"
        default: nil
        }
    }
}

/// The result of a repair.
package struct RepairOutcome: Sendable {
    package enum Tail: String, Sendable {
        /// There were none.
        case whole
        /// The bytes that an interrupted append leaves.
        case torn
        case damaged
    }

    package let tail: Tail
    /// The end of the last complete version, which is the new length of the file.
    package let offset: UInt64
    /// The numbers of the remaining versions, newest first.
    package let versions: [UInt32]
    package internal(set) var dropped: UInt64 = 0
    /// The file with these bytes; nil for an unfinished append, which never was complete.
    package internal(set) var saved: HostPath?
    /// The manifests that could be read in a damaged tail, oldest first.
    package internal(set) var lost: [Manifest] = []

    /// The result of verifying the remaining versions. Cutting off the tail can't repair their damage.
    package internal(set) var remaining = Verifier.Outcome()
}
