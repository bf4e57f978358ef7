import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Writes a capsule with some of another capsule's versions, which keep their numbers, labels and times. Data that only the other
/// versions needed is dropped.
package struct Compactor: Sendable {
    package struct Outcome: Sendable {
        package let path: HostPath
        package let kept: [UInt32]
        package let dropped: [UInt32]
        package let lengthBefore: UInt64
        package let length: UInt64
        package let isChanged: Bool
        /// The labels that are unknown, and so not in the new file.
        package fileprivate(set) var warning: CapsuleError?
    }

    private let kept: [VersionSelector]?
    private let dropped: [VersionSelector]
    private let jobs: Int
    private let lockTimeout: Double
    private let progress: (any ProgressObserver)?

    /// - Parameters:
    ///   - kept: the versions to keep; nil keeps all but the dropped ones.
    ///   - lockTimeout: the number of seconds to wait for another process that writes to the capsule.
    package init(
        keeping kept: [VersionSelector]?, dropping dropped: [VersionSelector] = [], jobs: Int, lockTimeout: Double,
        progress: (any ProgressObserver)? = nil
    ) {
        self.kept = kept
        self.dropped = dropped
        self.jobs = jobs
        self.lockTimeout = lockTimeout
        self.progress = progress
    }

    /// Replaces the capsule at `path` with the compacted one, atomically and under its lock.
    package func compact(_ path: HostPath) throws(CapsuleError) -> Outcome {
        let locked: LockedFile
        do throws(CapsuleError) {
            locked = try LockedFile(path, timeout: lockTimeout)
        } catch {
            throw Self.failed(error, path)
        }
        let file = try CapsuleFile(adopting: try locked.duplicate(), path: path)
        try EncryptedFile.refuseChange(of: file)
        let capsule = try Self.open { () throws(CapsuleError) in file }
        // A damaged record is all that is left of what it said, so the file is not replaced.
        try capsule.checkLabelRecords()
        let selection = try VersionSelection(of: capsule, kept, dropping: dropped)
        if selection.dropped.isEmpty, !selection.leavesDamage, capsule.tail == .whole {
            let length = capsule.file.length
            return Outcome(
                path: path, kept: selection.numbers, dropped: [], lengthBefore: length, length: length, isChanged: false)
        }
        // A link stays a link: the file that it points to is replaced.
        let staged = try StagedFile(for: try RealPath.ofFile(path))
        let length = try write(selection, of: capsule, to: staged)
        try locked.replace(with: staged)
        return outcome(path, selection, capsule, length)
    }

    package func compact(_ path: HostPath, to output: HostPath) throws(CapsuleError) -> Outcome {
        CreationMask.prepare()
        try InputPaths([path.bytes]).refuse(output)
        try FileProbe.checkTarget(output, as: .file, replacing: false, hint: "choose another file")
        let file: CapsuleFile
        do throws(CapsuleError) {
            file = try CapsuleFile.open(path)
        } catch {
            throw Self.failed(error, path)
        }
        let capsule = try Self.open { () throws(CapsuleError) in file }
        let selection = try VersionSelection(of: capsule, kept, dropping: dropped)
        let staged = try StagedFile(for: output)
        let length = try write(selection, of: capsule, to: staged)
        let mode =
            file.isRemote
            ? FileMode(0o600) : try Syscall.status(path, following: true).mode.within(FileMode(CreationMask.fileMode))
        try staged.commit(replacing: false, mode: mode)
        var outcome = outcome(output, selection, capsule, length)
        do throws(CapsuleError) {
            try capsule.checkLabelRecords()
        } catch {
            outcome.warning = CapsuleError("\(error.message), and the new file is without them", path: path)
        }
        return outcome
    }

    private func outcome(
        _ path: HostPath, _ selection: VersionSelection, _ capsule: CapsuleReader, _ length: UInt64
    ) -> Outcome {
        Outcome(
            path: path, kept: selection.numbers, dropped: selection.dropped, lengthBefore: capsule.file.length,
            length: length, isChanged: true)
    }

    private static func failed(_ error: CapsuleError, _ path: HostPath) -> CapsuleError {
        CapsuleError(error, opening: path) { "'capsule compact \($0.shellWord)' selects versions with '--keep'" }
    }

    private static func open(
        _ file: () throws(CapsuleError) -> CapsuleFile
    ) throws(CapsuleError) -> CapsuleReader {
        let capsule: CapsuleReader
        do throws(CapsuleError) {
            capsule = try CapsuleReader(try file())
        } catch {
            throw error.hinting(StoredVersion.hint(for: error))
        }
        try capsule.refuseOverlay()
        if case .damaged(let end) = capsule.tail {
            throw CapsuleError(
                "damaged from byte \(end) on, and that part would be lost", path: capsule.file.path,
                hint: "'capsule repair \(capsule.file.path.shellWord)' moves the damaged part to a separate file")
        }
        return capsule
    }

    private func write(
        _ selection: VersionSelection, of capsule: CapsuleReader, to staged: StagedFile
    ) throws(CapsuleError) -> UInt64 {
        let output = StagedMembers(staged)
        var length: UInt64 = 0
        // The catalogue of the versions written so far.
        var catalogue: Catalog?
        for footer in selection.footers {
            try CapsuleError.checkInterruption()
            if length == 0, footer.segmentStart == 0 {
                length = try copy(footer, of: capsule, to: output)
            } else {
                length = try append(footer, of: capsule, to: output, staged, behind: length, &catalogue)
            }
        }
        length = try appendLabels(of: capsule, to: output, staged, behind: length)
        try check(staged)
        return length
    }

    /// Appends a label record wherever a label would mean something else than in `capsule`: records are not copied, and a version that
    /// had a label may be gone.
    private func appendLabels(
        of capsule: CapsuleReader, to output: StagedMembers, _ staged: StagedFile, behind length: UInt64
    ) throws(CapsuleError) -> UInt64 {
        let written = try Self.reader(of: staged)
        let numbers = Set(try written.footers().map(\.version))
        let wanted = capsule.readableLabels().labels.filter { numbers.contains($0.version) }
        let present = try written.labels()
        let (wantedVersions, presentVersions) = (
            Dictionary(uniqueKeysWithValues: wanted.map { ($0.label, $0.version) }),
            Dictionary(uniqueKeysWithValues: present.map { ($0.label, $0.version) })
        )
        var records = present.filter { wantedVersions[$0.label] == nil }.map { LabelRecord($0.label, version: nil) }
        // The label that was given last is the last one again.
        records += wanted.reversed().filter { presentVersions[$0.label] != $0.version }.map {
            LabelRecord($0.label, version: $0.version)
        }
        var (last, length) = (written.last, length)
        for record in records {
            let writer = CapsuleWriter(output: output, codec: capsule.codec, following: last, version: written.newest.version)
            length = try writer.finish(record)
            last = writer.footer ?? last
        }
        return length
    }

    /// Verifies every digest of the new capsule before it replaces the old one.
    private func check(_ staged: StagedFile) throws(CapsuleError) {
        let capsule = try Self.reader(of: staged)
        let outcome = try Verifier(isStrict: true, jobs: jobs, progress: progress).verify(capsule)
        guard let finding = outcome.findings.first else { return }
        let version = finding.version.map { "version \($0) is damaged: " } ?? ""
        let path = finding.path.map { "\(HostPath($0)): " } ?? ""
        throw CapsuleError("\(version)\(path)\(finding.message)", path: staged.target, hint: Self.damageHint)
    }

    private static func reader(of staged: StagedFile) throws(CapsuleError) -> CapsuleReader {
        try CapsuleReader(try CapsuleFile(adopting: try staged.duplicate(), path: staged.target))
    }

    private static let damageHint = "'capsule verify' shows details; '--keep' can leave the version out"

    /// Copies the first version byte for byte.
    private func copy(
        _ footer: Footer, of capsule: CapsuleReader, to output: StagedMembers
    ) throws(CapsuleError) -> UInt64 {
        let segment = try SegmentCheck(capsule, footer)
        if let problem = segment.problem { throw damaged(footer, problem, capsule) }
        let buffer = ByteBuffer(capacity: Self.copiedLength)
        var at: UInt64 = 0
        while at < footer.end {
            try CapsuleError.checkInterruption()
            buffer.removeAll()
            try capsule.file.read(at: at, count: Int(min(UInt64(Self.copiedLength), footer.end - at)), into: buffer)
            try output.write(buffer.bytes, at: at)
            at += UInt64(buffer.count)
        }
        return footer.end
    }

    private static let copiedLength = 1 << 20

    /// Packs a version again, after those that are already written.
    private func append(
        _ footer: Footer, of capsule: CapsuleReader, to output: StagedMembers, _ staged: StagedFile, behind length: UInt64,
        _ catalogue: inout Catalog?
    ) throws(CapsuleError) -> UInt64 {
        let version = try StoredVersion(capsule, footer)
        let manifest = version.manifest
        var options = PackOptions(captured: manifest.captured)
        options.jobs = jobs
        let facts = VersionWriter.ManifestInfo(
            captured: manifest.captured, label: manifest.label, note: manifest.note, other: manifest.other)
        let versions = VersionWriter(options: options, facts: facts, progress: progress)
        var opened = version.opened
        let written: VersionWriter.WrittenVersion
        if length == 0 {
            let writer = CapsuleWriter(output: output, codec: capsule.codec, version: footer.version)
            written = try versions.write(&opened, to: writer)
        } else {
            let reader = try Self.reader(of: staged)
            let (jobs, known) = (jobs, catalogue)
            let history = CapsuleHistory(reader, jobs: jobs, known: known)
            let writer = CapsuleWriter(
                output: output, codec: capsule.codec, following: history.last, version: footer.version,
                storedBlock: { (digest) throws(CapsuleError) in try history.block(of: digest) })
            written = try versions.write(
                &opened, to: writer, after: history, BaseReading(reader, readsBack: false, jobs: jobs))
            catalogue = try history.catalogue(adding: written.added)
        }
        guard written.manifest.treeDigest == manifest.treeDigest else {
            throw damaged(footer, "its files don't match its index", capsule)
        }
        return written.length
    }

    private func damaged(_ footer: Footer, _ problem: String, _ capsule: CapsuleReader) -> CapsuleError {
        CapsuleError(
            "version \(footer.version) is damaged: \(problem)", path: capsule.file.path,
            hint: Self.damageHint)
    }
}

/// The versions of a capsule that the user chose.
private struct VersionSelection {
    /// The footers of the chosen versions, oldest first.
    let footers: [Footer]
    /// The numbers of all other versions that could be found, oldest first.
    let dropped: [UInt32]
    /// True if there are older versions, before a damaged footer, that could not be found.
    let leavesDamage: Bool

    var numbers: [UInt32] { footers.map(\.version) }

    /// - Parameters:
    ///   - selectors: the versions to select; nil for all versions but the dropped ones.
    /// - Throws: ``CapsuleError``, also for a version that does not exist. If the footer of an old version is damaged, the newer
    ///   versions can still be selected.
    init(
        of capsule: CapsuleReader, _ selectors: [VersionSelector]?, dropping others: [VersionSelector]
    ) throws(CapsuleError) {
        let (found, problem) = capsule.readableFooters()
        let all = Set(found.map(\.version))
        guard let selectors else {
            if let problem {
                throw problem.hinting("name readable versions with '--keep', such as 'latest', to leave out damaged ones")
            }
            let chosen = all.subtracting(try Self.numbers(others, in: capsule))
            if chosen.isEmpty {
                throw CapsuleError(.usage, "no version would be left", path: capsule.file.path, hint: "'rm' deletes the capsule")
            }
            footers = found.reversed().filter { chosen.contains($0.version) }
            dropped = all.subtracting(chosen).sorted()
            leavesDamage = false
            return
        }
        let chosen = try Self.numbers(selectors, in: capsule)
        footers = found.reversed().filter { chosen.contains($0.version) }
        leavesDamage = problem != nil
        dropped = all.subtracting(chosen).sorted()
    }

    private static func numbers(_ selectors: [VersionSelector], in capsule: CapsuleReader) throws(CapsuleError) -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        for selector in selectors {
            do throws(CapsuleError) {
                numbers.insert(try capsule.footer(of: selector).version)
            } catch {
                throw StoredVersion.error(error, reading: selector, of: capsule)
            }
        }
        return numbers
    }
}
