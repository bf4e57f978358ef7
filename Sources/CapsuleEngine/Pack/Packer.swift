import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// Packs a container into a new capsule.
package struct Packer: Sendable {
    package struct Outcome: Sendable {
        /// The path or the address of the capsule; `-` is standard output.
        package private(set) var path: HostPath
        package let manifest: Manifest
        package private(set) var length: UInt64
        /// The number of bytes that the version added.
        package private(set) var added: UInt64
        /// The number of bytes of an unfinished append that the version replaced.
        package let tornBytes: UInt64
        /// The number of entries lost unintentionally, in this pack or in the version it was repacked from.
        package let losses: Int
        package let excluded: Int
        package let dropped: [(noise: NoiseClass, paths: Int)]
        package let checkpointed: Int
        package let uncheckpointed: [UncheckpointedDatabase]
        /// The number of files in the previous version that need damaged data, as far as the data was read back.
        package let damagedFiles: Int
        /// The number of those files that the container still has, so that the version stores them again.
        package let storedAgain: Int
        package let leftOutLogs: [RelativePath]
        package let unmatchedPatterns: [Glob]
        package let evidence: [String]
        package let wrapperNote: String?
        /// The property lists that overlays are for but the container does not have, so that the overlays could not be tried.
        package let uncheckedOverlays: [String]
        /// The replaced secrets; nil if none were to be replaced.
        package let redaction: Redactor.Outcome?

        func at(_ path: HostPath) -> Outcome {
            var outcome = self
            outcome.path = path
            return outcome
        }

        fileprivate func ofFile(length: UInt64) -> Outcome {
            var outcome = self
            (outcome.length, outcome.added) = (length, length)
            return outcome
        }
    }

    let options: PackOptions
    private let progress: (any ProgressObserver)?

    package init(options: PackOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Packs `container` into a file, which appears complete or not at all.
    /// - Parameters:
    ///   - file: the capsule, which must not be inside the container; nil for `NAME.capsule` in the current directory.
    package func pack(_ container: Container, to file: HostPath?) throws(CapsuleError) -> Outcome {
        CreationMask.prepare()
        if let file {
            try refuse(file, overwriting: [container.argument])
            try FileProbe.checkTarget(file, as: .file, replacing: options.replaces)
        }
        // The container is listed before there is a temporary file that the list could contain.
        var opened = try open(container)
        let ending = options.recipients == nil ? [] : EncryptedFile.ending
        let output = file ?? HostPath(opened.name + Array(".capsule".utf8) + ending)
        try refuse(output, overwriting: [container.argument])
        try FileProbe.checkTarget(output, as: .file, replacing: options.replaces)
        return try write(&opened, to: output)
    }

    /// Packs an open container into a file, which appears complete or not at all.
    /// - Parameter limits: modes that limit access to the file, in addition to the modes of the container.
    @discardableResult
    func write(
        _ opened: inout OpenedContainer, to output: HostPath, within limits: [FileMode] = []
    ) throws(CapsuleError) -> Outcome {
        Memory.trim()
        let replaces = options.replaces
        let mode = limits.reduce(opened.fileMode) { $0.within($1) }
        let staged = try StagedFile(for: output)
        let outcome = try pack(&opened, to: staged.members(encryptedFor: options.recipients))
            .ofFile(length: staged.length())
        // Waits for a process that is appending to the replaced file, so that it does not write to a file without a name.
        let locked = replaces ? try Self.lockIfAllowed(output, options.lockTimeout) : nil
        try staged.commit(replacing: replaces, mode: mode)
        withExtendedLifetime(locked) {}
        Memory.trim()
        opened.statCache?.save()
        return outcome
    }

    /// An error for a missing permission has a hint about how to skip the file.
    /// - Throws: ``CapsuleError``, also for patterns that match nothing if these are errors.
    func open(_ container: Container) throws(CapsuleError) -> OpenedContainer {
        var opened: OpenedContainer
        do throws(CapsuleError) {
            opened = try container.open(options.container)
        } catch {
            throw error.hinting(ifDenied: VersionWriter.skipHint)
        }
        opened.inputModes += options.overlays.compactMap(\.file.file.mode)
        _ = try unmatchedPatterns(in: opened)
        return opened
    }

    private func unmatchedPatterns(in opened: OpenedContainer) throws(CapsuleError) -> [Glob] {
        let wanted = opened.omitted.prefix(opened.wantedOmissions)
        return try options.unmatchedPatterns.find(
            in: options.container.excluded, of: "--exclude",
            hint: { NamedPaths.suggestion(for: $0.pattern, in: opened) ?? Glob.argumentHint }
        ) { glob in
            wanted.contains { glob.matches($0.path) }
        }
    }

    package func pack(_ container: Container, to stream: StandardStream) throws(CapsuleError) -> Outcome {
        var opened = try open(container)
        let spool = try SpoolFile()
        let outcome = try pack(&opened, to: SpooledMembers(spool))
        try stream.copy(spool, length: outcome.length)
        opened.statCache?.save()
        return outcome
    }

    /// Refuses an output that would replace a source of the capsule, or that is inside the container, where it would be part of
    /// the next capsule.
    func refuse(_ output: HostPath, overwriting containers: [[UInt8]]) throws(CapsuleError) {
        let groups = options.container.groups.map(\.directory.bytes)
        try InputPaths(containers + groups + options.overlays.map(\.file.path.bytes)).refuse(output)
    }

    /// - Parameter opened: the container, whose entries are taken out of it.
    func pack(_ opened: inout OpenedContainer, to output: any MemberOutput) throws(CapsuleError) -> Outcome {
        try write(&opened, to: output.path) { (opened, versions) throws(CapsuleError) in
            try versions.write(&opened, to: CapsuleWriter(output: output, codec: (options.codec ?? .gzip).member))
        }
    }

    /// Checkpoints logs if the options say so, tries the overlays, calls `write` to write the container, and returns the result.
    /// - Parameters:
    ///   - before: the end of the previous version.
    ///   - torn: the length of an unfinished append in bytes.
    func write(
        _ opened: inout OpenedContainer, to path: HostPath, before: UInt64 = 0, torn: UInt64 = 0,
        _ write: (inout OpenedContainer, VersionWriter) throws(CapsuleError) -> VersionWriter.WrittenVersion
    ) throws(CapsuleError) -> Outcome {
        let leftOutLogs = Self.leftOutLogs(of: opened)
        let redaction = try redact(&opened)
        var folding = WALCheckpointer.Outcome()
        if options.checkpointsLogs {
            folding = try WALCheckpointer(
                jobs: options.jobs, isStrict: options.isStrict, allowsChanging: options.allowsChanging
            ).checkpoint(&opened)
        }
        let uncheckedOverlays = try tryOverlays(on: opened)
        var other = options.other
        if let redaction { other[Manifest.redactedKey] = Manifest.redacted(values: redaction.values) }
        let facts = VersionWriter.ManifestInfo(
            captured: options.captured, label: options.label, note: options.note,
            overlays: options.overlays.map(\.overlay.document),
            other: other)
        let pass = redaction == nil ? progress : ProgressPass(progress, number: Redactor.passes - 1, of: Redactor.passes)
        let written = try write(&opened, VersionWriter(options: options, facts: facts, progress: pass))
        let wanted = opened.omitted.prefix(opened.wantedOmissions)
        let own = wanted.dropLast(opened.earlierOmissions)
        let dropped = options.container.dropped.map { dropped in
            (noise: dropped.noise, paths: own.count { $0.reason == dropped.reason })
        }
        return Outcome(
            path: path, manifest: written.manifest, length: written.length, added: written.length - before, tornBytes: torn,
            losses: written.manifest.omitted.count - wanted.count,
            excluded: own.count - folding.omitted.count - dropped.reduce(0) { $0 + $1.paths }, dropped: dropped,
            checkpointed: folding.databases, uncheckpointed: folding.uncheckpointed, damagedFiles: written.damage.files,
            storedAgain: written.damage.storedAgain,
            leftOutLogs: leftOutLogs,
            unmatchedPatterns: try unmatchedPatterns(in: opened),
            evidence: opened.evidence, wrapperNote: opened.wrapperNote, uncheckedOverlays: uncheckedOverlays,
            redaction: redaction)
    }

    private func redact(_ opened: inout OpenedContainer) throws(CapsuleError) -> Redactor.Outcome? {
        guard let rules = options.redaction else { return nil }
        let outcome = try Redactor(rules, isStrict: options.isStrict, jobs: options.jobs, progress: progress).redact(&opened)
        var added = opened
        added.entries = []
        added.overlays = options.overlays.map(\.overlay.document) + [options.note.map { .string($0) }].compactMap { $0 }
        do throws(CapsuleError) {
            try RedactionProof(secrets: outcome.secrets, opened: added).run(isKept: { _ in true }, jobs: 1)
        } catch {
            throw CapsuleError("the note or an overlay has a secret that was removed from the container; nothing was written")
        }
        return outcome
    }

    /// Returns the logs that the user left out now although their databases are packed. Without its log, a database may lack the
    /// last writes.
    private static func leftOutLogs(of opened: OpenedContainer) -> [RelativePath] {
        opened.omitted.prefix(opened.wantedOmissions).dropLast(opened.earlierOmissions).compactMap { omission in
            guard let log = try? RelativePath(validating: omission.path), let path = DatabaseUnit.database(ofLog: log) else {
                return nil
            }
            let isPacked = Set(opened.entries.map(\.root)).contains { root in
                opened.entries.index(of: path, in: root).map {
                    opened.isDatabase($0)
                } ?? false
            }
            return isPacked ? log : nil
        }
    }

    /// Applies the overlays that are packed with the container to its content, and discards the result.
    /// - Returns: the property lists that the container does not have.
    private func tryOverlays(on opened: OpenedContainer) throws(CapsuleError) -> [String] {
        guard !options.overlays.isEmpty else { return [] }
        let context = OverlayContext.files(values: Host.wholeEnvironment)
        var run = OverlayApplier(opened, bundle: nil, context: context, missing: .skip)
        // Overlays that the container already has were tried when they were added to it.
        for entry in options.overlays where entry.overlay.targets.allSatisfy({ $0.root != .appBundle }) {
            try run.apply(entry.overlay, named: "\(entry.file.path)")
        }
        try run.refuseDifferences()
        return run.unchecked
    }
}
