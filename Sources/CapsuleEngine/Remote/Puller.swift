import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleRemote
import CapsuleSystem

/// Copies a capsule from a server to a file. If the file has the beginning of it, only the rest is fetched and appended. The file is
/// always a whole capsule: the old one, or the new one.
package struct Puller: Sendable {
    package var force = false
    package var lockTimeout = 10.0
    package var progress: (any ProgressObserver)?

    package init() {}

    package struct Outcome: Sendable {
        package let file: HostPath
        package let version: UInt32
        /// The number of versions that the file did not have.
        package let added: Int
        /// The bytes that were fetched, and the length of the file.
        package let fetched: UInt64
        package let length: UInt64
        package var isUnchanged: Bool { fetched == 0 }
        /// The signatures that were not replaced by others of the server.
        package var keptSignatures: [HostPath] = []
    }

    /// - Parameters:
    ///   - argument: the address, which may end in `@VERSION`.
    ///   - output: the file; nil for one in the current directory with the name of the address.
    package func pull(_ argument: [UInt8], to output: HostPath?) throws(CapsuleError) -> Outcome {
        guard let name = try RemoteName(argument) else {
            throw CapsuleError(
                .usage, "is not the address of a capsule on a server", path: HostPath(argument),
                hint: "write oci://HOST/NAME:TAG, oci:DIRECTORY:TAG or https://HOST/FILE")
        }
        guard output != .standardStream else {
            throw CapsuleError(.usage, "a capsule is pulled to a file, not to standard output", hint: "name a file with '-o'")
        }
        CreationMask.prepare()
        let path = output ?? HostPath(name.fileName)
        let source = try Source(name, spoolIn: path.directory)
        // A link is replaced itself, as by any other `--force`.
        let found = try Syscall.statusIfThere(path)
        let isLink = force && found?.kind == .link
        let locked = isLink ? nil : try Self.lock(path, lockTimeout)
        if let locked, let outcome = try append(source, to: locked) { return try withSignatures(outcome, name, source, path) }
        try FileProbe.checkTarget(path, as: .file, replacing: isLink || locked != nil, hint: "choose another file with '-o'")
        return try withSignatures(try write(source, to: path, replacing: locked, orLink: isLink), name, source, path)
    }

    /// Gets the signatures, too.
    private func withSignatures(
        _ outcome: Outcome, _ name: RemoteName, _ source: Source, _ path: HostPath
    ) throws(CapsuleError) -> Outcome {
        guard let digest = (source.file.remote as? any ListedCapsule)?.manifestDigest else { return outcome }
        let versions = Set(source.footers.filter { !$0.isLabel }.map(\.version))
        var outcome = outcome
        do throws(CapsuleError) {
            outcome.keptSignatures = try RemoteSignatures.pull(
                from: name, digest, of: versions, beside: path, replacing: force)
        } catch {
            throw error.hinting("the capsule itself is pulled; only its signatures are missing")
        }
        return outcome
    }

    private static func lock(_ path: HostPath, _ timeout: Double) throws(CapsuleError) -> LockedFile? {
        do throws(CapsuleError) {
            return try LockedFile(path, timeout: timeout)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// Appends what the file lacks, or replaces it if the user wants that.
    /// - Returns: nil if the file is not a capsule, and is to be replaced.
    private func append(_ source: Source, to locked: LockedFile) throws(CapsuleError) -> Outcome? {
        let own: CapsuleReader
        let history: History
        do throws(CapsuleError) {
            own = try CapsuleReader(locked, hint: "'-o' names another file; '--force' replaces this one")
            history = History(try own.parts())
        } catch {
            if force { return nil }
            throw error
        }
        let start: History.End
        switch HistoryRelation(of: history, with: source.history) {
        case .same where !force: return outcome(locked.path, source.history, after: source.history.ends.last)
        case .behind(let end): start = end
        case .same, .ahead, .parted:
            guard force else { throw source.refusal(history, locked.path) }
            return try write(source, to: locked.path, replacing: locked)
        }
        try source.fetch(after: start, progress)
        let target = AppendedMembers(locked, behind: own.last)
        do throws(CapsuleError) {
            // Each version is complete on the medium before the next one follows, as if they had been packed one after the other.
            var from = start.offset
            for footer in source.footers where footer.end > start.offset {
                let place = footer.offset
                for range in [from..<place, place..<footer.end] {
                    try copy(source.file, range) { (bytes, offset) throws(CapsuleError) in try target.write(bytes, at: offset) }
                    try target.synchronize()
                }
                from = footer.end
            }
            try target.finish(length: from)
            try locked.checkName()
        } catch {
            target.rollBack()
            throw error
        }
        return outcome(locked.path, source.history, after: start)
    }

    /// Writes a new file, which gets its name once it is complete.
    private func write(
        _ source: Source, to path: HostPath, replacing locked: LockedFile?, orLink isLink: Bool = false
    ) throws(CapsuleError) -> Outcome {
        try source.fetch(after: nil, progress)
        let target = isLink ? path : try RealPath.ofFile(path)
        for leftover in Leftover.find(beside: target) where leftover.state == .abandoned { _ = leftover.delete() }
        let staged = try StagedFile(for: target)
        try copy(source.file, 0..<source.history.length) { (bytes, offset) throws(CapsuleError) in
            try staged.write(bytes, at: offset)
        }
        if let locked {
            try locked.replace(with: staged)
        } else {
            // What others may see in a registry is its matter; a file on this machine is private until its owner opens it.
            do throws(CapsuleError) {
                try staged.commit(replacing: isLink, mode: FileMode(0o600))
            } catch {
                throw error.hinting(error.code == .exists ? "another command has made it meanwhile: pull again" : nil)
            }
        }
        return outcome(path, source.history, after: nil)
    }

    private func copy(
        _ file: CapsuleFile, _ range: Range<UInt64>, to write: (UnsafeRawBufferPointer, UInt64) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let buffer = ByteBuffer(capacity: 1 << 20)
        var offset = range.lowerBound
        while offset < range.upperBound {
            try CapsuleError.checkInterruption()
            buffer.removeAll()
            try file.read(at: offset, count: Int(min(1 << 20, range.upperBound - offset)), into: buffer)
            try write(buffer.bytes, offset)
            offset += UInt64(buffer.count)
        }
    }

    private func outcome(_ path: HostPath, _ history: History, after start: History.End?) -> Outcome {
        Outcome(
            file: path, version: history.newest, added: history.versions(after: start).count,
            fetched: history.length - (start?.offset ?? 0), length: history.length)
    }
}

/// A capsule that is pulled, or its part up to a version.
private struct Source {
    private let capsule: CapsuleReader
    private let place: String
    private let hasVersion: Bool
    /// The footers of the part, in the order of the file.
    let footers: [Footer]
    let history: History
    var file: CapsuleFile { capsule.file }

    init(_ name: RemoteName, spoolIn directory: HostPath) throws(CapsuleError) {
        let selector = try name.selector()
        capsule = try CapsuleReader(try name.open(spoolIn: directory))
        guard capsule.tail == .whole else {
            throw CapsuleError(.damaged, "its end is damaged or incomplete, so it is not pulled", path: capsule.file.path)
        }
        footers = try capsule.parts(through: try capsule.last(of: selector).end)
        history = History(footers)
        place = name.address.place
        hasVersion = selector != .latest
    }

    /// Fetches what follows an end, and checks all of it: no byte gets into a file that does not match its digest or its checksum.
    func fetch(after start: History.End?, _ progress: (any ProgressObserver)?) throws(CapsuleError) {
        RemoteAccess.show(progress, total: history.length - (start?.offset ?? 0))
        try file.fetch([(start?.offset ?? 0)..<history.length])
        try capsule.check(footers, after: start?.offset ?? 0)
    }

    /// The error for a file that has something of its own.
    func refusal(_ own: History, _ path: HostPath) -> CapsuleError {
        switch HistoryRelation(of: own, with: history) {
        case .ahead(let end) where hasVersion:
            return CapsuleError(
                .exists, "already goes on after version \(history.newest), with \(own.shown(after: end))", path: path,
                hint: "'-o' names another file; '--force' replaces this one")
        case .ahead(let end):
            return CapsuleError(
                .exists, "has \(own.shown(after: end)), which \(place) does not have", path: path,
                hint: "'capsule push' adds them there; '--force' replaces this file")
        case .parted(let end?):
            return CapsuleError(
                .exists,
                "they part after version \(own.version(upTo: end) ?? 0): this file goes on with \(own.shown(after: end)), "
                    + "\(place) with \(history.shown(after: end))",
                path: path, hint: "'-o' names another file; '--force' replaces this one, and what only it has is lost")
        case .same, .behind, .parted(nil):
            return CapsuleError(
                .exists, "is another capsule, with nothing in common with that of \(place)", path: path,
                hint: "'-o' names another file; '--force' replaces this one")
        }
    }
}
