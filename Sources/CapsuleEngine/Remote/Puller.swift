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
        CreationMask.prepare()
        let path = output ?? HostPath(name.fileName)
        let capsule = try Self.whole(try name.open(spoolIn: path.directory))
        let last = try Self.last(try name.selector(), of: capsule)
        if let locked = try Self.lock(path, lockTimeout) {
            if let outcome = try append(capsule, through: last, to: locked) { return outcome }
            return try write(capsule, through: last, to: path, replacing: locked)
        }
        return try write(capsule, through: last, to: path, replacing: nil)
    }

    private static func whole(_ file: CapsuleFile) throws(CapsuleError) -> CapsuleReader {
        let capsule = try CapsuleReader(file)
        guard capsule.tail == .whole else {
            throw CapsuleError(.damaged, "its end is damaged or incomplete, so it is not pulled", path: file.path)
        }
        return capsule
    }

    /// Returns the last footer that is wanted. A version has the label records with it that follow it directly.
    private static func last(_ selector: VersionSelector, of capsule: CapsuleReader) throws(CapsuleError) -> Footer {
        if selector == .latest { return capsule.last }
        do throws(CapsuleError) {
            return try capsule.footer(of: selector)
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
    }

    private static func lock(_ path: HostPath, _ timeout: Double) throws(CapsuleError) -> LockedFile? {
        do throws(CapsuleError) {
            return try LockedFile(path, timeout: timeout)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// Appends what the file lacks.
    /// - Returns: nil if the file is to be replaced.
    private func append(
        _ remote: CapsuleReader, through last: Footer, to locked: LockedFile
    ) throws(CapsuleError) -> Outcome? {
        let own: CapsuleReader
        do throws(CapsuleError) {
            own = try CapsuleReader(appendingTo: locked, hint: nil)
        } catch {
            if force { return nil }
            throw error.hinting(error.code == .notCapsule ? "'-o' names another file; '--force' replaces this one" : nil)
        }
        let wanted = try CapsuleConfig(of: remote, through: last)
        let config = try CapsuleConfig(of: own)
        let start: UInt64
        switch HistoryRelation(of: config, with: wanted) {
        case .same: return outcome(locked.path, wanted, added: 0, fetched: 0)
        case .behind(let end): start = end.offset
        case .ahead(let end):
            if force { return nil }
            throw CapsuleError(
                .exists, "has \(config.shown(after: end)), which the server does not have", path: locked.path,
                hint: "'capsule push' adds them there; '--force' replaces this file")
        case .parted(let end):
            if force { return nil }
            throw Self.parted(config, wanted, after: end, locked.path)
        }
        RemoteAccess.show(progress, total: last.end - start)
        try remote.file.fetch([start..<last.end])
        let target = AppendedMembers(locked, behind: own.last)
        do throws(CapsuleError) {
            // Each version is complete on the medium before the next one follows, as if they had been packed one after the other.
            for end in wanted.ends where end.offset > start {
                let place = end.offset - UInt64(remote.codec.footerMemberLength)
                let from = wanted.ends.last { $0.offset < end.offset }?.offset ?? 0
                try copy(remote.file, max(from, start)..<place) { (bytes, offset) throws(CapsuleError) in
                    try target.write(bytes, at: offset)
                }
                try target.synchronize()
                try copy(remote.file, place..<end.offset) { (bytes, offset) throws(CapsuleError) in
                    try target.write(bytes, at: offset)
                }
                try target.synchronize()
            }
            try target.finish(length: last.end)
            try locked.checkName()
        } catch {
            target.rollBack()
            throw error
        }
        return outcome(
            locked.path, wanted, added: wanted.versions.count { $0.end.offset > start }, fetched: last.end - start)
    }

    /// Writes a new file, which gets its name once it is complete.
    private func write(
        _ remote: CapsuleReader, through last: Footer, to path: HostPath, replacing locked: LockedFile?
    ) throws(CapsuleError) -> Outcome {
        if locked == nil {
            try FileProbe.checkTarget(path, as: .file, replacing: false, hint: "choose another file with '-o'")
        }
        let wanted = try CapsuleConfig(of: remote, through: last)
        RemoteAccess.show(progress, total: last.end)
        try remote.file.fetch([0..<last.end])
        let staged = try StagedFile(for: try RealPath.ofFile(path))
        try copy(remote.file, 0..<last.end) { (bytes, offset) throws(CapsuleError) in try staged.write(bytes, at: offset) }
        if let locked {
            try locked.replace(with: staged)
        } else {
            // What others may see in a registry is its matter; a file on this machine is private until its owner opens it.
            try staged.commit(replacing: false, mode: FileMode(0o600))
        }
        return outcome(path, wanted, added: wanted.versions.count, fetched: last.end)
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

    private func outcome(_ path: HostPath, _ config: CapsuleConfig, added: Int, fetched: UInt64) -> Outcome {
        Outcome(
            file: path, version: config.versions.last?.number ?? 0, added: added, fetched: fetched, length: config.length)
    }

    private static func parted(
        _ own: CapsuleConfig, _ other: CapsuleConfig, after end: CapsuleConfig.End?, _ path: HostPath
    ) -> CapsuleError {
        guard let end, let version = own.version(upTo: end) else {
            return CapsuleError(
                .exists, "is another capsule, with nothing in common with the server's", path: path,
                hint: "'-o' names another file; '--force' replaces this one")
        }
        return CapsuleError(
            .exists,
            "they part after version \(version): this file goes on with \(own.shown(after: end)), the server with \(other.shown(after: end))",
            path: path, hint: "'-o' names another file; '--force' replaces this one, and what only it has is lost")
    }
}
