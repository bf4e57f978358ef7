import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Writes a container as an archive for standard tools: `NAME.xcappdata/…` or `NAME/…`, as in a capsule's own stream. Such
/// archives have times in whole seconds and no extended attributes.
package struct Exporter: Sendable {
    package struct Outcome: Sendable {
        /// The path of the archive; `-` is standard output.
        package let path: HostPath
        package let entries: Int
        package let bytes: UInt64
        /// The length of the archive in bytes.
        package let length: UInt64
        /// The number of entries whose extended attributes the archive can't hold.
        package let withoutAttributes: Int
        /// The entries that the container did not have, or that could not be read.
        package let omitted: [Omission]
        package var notes: [String] = []
        package var additions: [String] = []
    }

    private let jobs: Int
    private let level: Int?
    private let replaces: Bool
    private let options: ContainerOptions
    private let overlays: OverlayApplication?
    private let checkpointsLogs: Bool
    private let recipients: AgeRecipients?
    private let progress: (any ProgressObserver)?

    /// - Parameters:
    ///   - jobs: the number of threads. The bytes are the same for any number.
    ///   - level: the compression level, 1–12 (up to 19 for zstd); nil for the level that measured best.
    ///   - overlays: the options for applying the version's overlays; nil to leave them out, with a note.
    ///   - checkpointsLogs: true to write databases with their logs checkpointed, and without the logs.
    ///   - recipients: the people who can decrypt a file with a tar archive; nil if it is not encrypted.
    package init(
        jobs: Int = 1, level: Int? = nil, replaces: Bool = false, options: ContainerOptions = ContainerOptions(),
        overlays: OverlayApplication? = nil, checkpointsLogs: Bool = false, recipients: AgeRecipients? = nil,
        progress: (any ProgressObserver)? = nil
    ) {
        self.checkpointsLogs = checkpointsLogs
        self.jobs = jobs
        self.overlays = overlays
        self.level = level
        self.recipients = recipients
        self.replaces = replaces
        self.options = options
        self.progress = progress
    }

    package func export(
        _ container: Container, paths: [[UInt8]] = [], as form: ExportForm, to output: HostPath
    ) throws(CapsuleError) -> Outcome {
        try InputPaths([container.argument], changed: [overlays?.bundle?.bytes].compactMap { $0 }).refuse(output)
        try FileProbe.checkTarget(output, as: .file, replacing: replaces)
        return try withOpened(container, paths) { (opened) throws(CapsuleError) in
            try write(opened, as: form, to: output)
        }
    }

    /// Writes an archive to a file in `directory` that is named after the container: `NAME.tar.gz`.
    package func export(
        _ container: Container, paths: [[UInt8]] = [], as form: ExportForm, into directory: HostPath
    ) throws(CapsuleError) -> Outcome {
        let places = InputPaths([container.argument], changed: [overlays?.bundle?.bytes].compactMap { $0 })
        try places.refuse(resultsIn: directory, flag: "-C")
        let made = try CreatedDirectories(directory)
        return try withOpened(container, paths) { (opened) throws(CapsuleError) in
            let output = try places.name(
                opened.name, suffix: Array(".\(form.rawValue)".utf8) + (recipients == nil ? [] : EncryptedFile.ending),
                in: directory, isPart: !paths.isEmpty)
            try FileProbe.checkTarget(output, as: .file, replacing: replaces)
            let outcome = try write(opened, as: form, to: output)
            made.keep()
            return outcome
        }
    }

    package func export(
        _ container: Container, paths: [[UInt8]] = [], as form: ExportForm, to stream: StandardStream
    ) throws(CapsuleError) -> Outcome {
        try withOpened(container, paths) { (opened) throws(CapsuleError) in
            let spool = try SpoolFile()
            let outcome = try write(opened, as: form, to: SpooledMembers(spool))
            try stream.copy(spool, length: outcome.length)
            return outcome
        }
    }

    private func withOpened(
        _ container: Container, _ paths: [[UInt8]], _ write: (OpenedContainer) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        var opened = try container.open(options)
        let patched = try overlays?.patch(opened)
        if let patched { opened = patched.container }
        let selection = try PathSelection(paths, in: opened)
        var selected = selection.select(from: opened)
        let uncheckpointed = checkpointsLogs ? try WALCheckpointer.checkpoint(&selected, jobs: jobs) : []
        var outcome = try write(selected)
        if let patched { try overlays?.finish(patched) {} }
        outcome.additions = [selection.note].compactMap { $0 }
        outcome.notes = uncheckpointed + (patched?.notes ?? []) + [opened.overlayNote].compactMap { $0 }
        return outcome
    }

    private func write(_ opened: OpenedContainer, as form: ExportForm, to output: HostPath) throws(CapsuleError) -> Outcome {
        let staged = try StagedFile(for: output, inPlace: true)
        let outcome = try write(opened, as: form, to: staged.members(encryptedFor: recipients))
        try staged.commit(replacing: replaces, mode: opened.fileMode)
        return outcome
    }

    private func write(
        _ opened: OpenedContainer, as form: ExportForm, to output: any MemberOutput
    ) throws(CapsuleError) -> Outcome {
        guard let codec = form.codec else { return try writeZip(opened, to: output) }
        return try writeTar(opened, codec, form == .tar ? .uncompressed : .plain, to: output)
    }

    private func packOptions() -> PackOptions {
        var options = PackOptions(captured: .epoch)
        options.level = level
        options.jobs = jobs
        options.container = self.options
        return options
    }

    private func writeTar(
        _ opened: OpenedContainer, _ codec: PackOptions.Codec, _ framing: DataMemberEncoder.Framing, to output: any MemberOutput
    ) throws(CapsuleError) -> Outcome {
        let writer = CapsuleWriter(output: output, codec: codec.member)
        var taken = opened
        let packed = try StreamPacker.pack(&taken, options: packOptions(), writer: writer, framing: framing, progress: progress)
        let length = writer.members.last.map { $0.offset + UInt64($0.stored) } ?? 0
        try output.finish(length: length)
        return outcome(
            opened, packed.entries, at: output.path, length: length,
            omitted: (opened.isDigested ? [] : opened.unwantedOmissions) + packed.omitted)
    }

    private func writeZip(_ opened: OpenedContainer, to output: any MemberOutput) throws(CapsuleError) -> Outcome {
        // A container that may change is captured first, because a capsule's writer checks for changes.
        guard !opened.contents.isLive else { return try writeZip(try capture(opened), to: output) }
        let writer = ZipWriter(output: output, level: level)
        let names = TarPaths(name: opened.name, layout: opened.layout)
        let reader = opened.makeReader()
        try opened.contents.fetch(opened.entries.indices)
        var report = ProgressReport()
        for entry in opened.entries where entry.kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entry.size
        }
        for number in names.order(of: opened.entries).map(Int.init) {
            let entry = opened.entries[number]
            try writer.append(entry, name: names.path(of: entry)) { (take) throws(CapsuleError) in
                try CapsuleError.checkInterruption()
                if entry.kind == .link { return try entry.target.withRawBytes(take) }
                guard entry.kind.hasContent else { return }
                var hasher = SHA256Hasher()
                var rest = entry.size
                try reader.forEachPiece(of: entry, number: number, in: 0..<entry.size) {
                    (_, length, bytes) throws(CapsuleError) in
                    rest -= length
                    try hasher.update(bytes, length: length)
                    if let bytes { try take(bytes) } else { try Self.giveZeros(length, to: take) }
                }
                guard rest == 0 else { throw CapsuleError("its content is truncated", path: HostPath(entry.path.bytes)) }
                if opened.isDigested, hasher.finish() != entry.digest { throw .wrongDigest(of: entry) }
            }
            guard entry.kind.hasContent else { continue }
            report.files += 1
            report.bytes += entry.size
            progress?.advanced(to: report)
        }
        return outcome(
            opened, opened.entries, at: output.path, length: try writer.finish(),
            omitted: opened.isDigested ? [] : opened.unwantedOmissions)
    }

    private static let zeros = [UInt8](repeating: 0, count: 1 << 18)

    private static func giveZeros(_ length: UInt64, to take: ZipWriter.Take) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            try CapsuleError.checkInterruption()
            let count = Int(min(rest, UInt64(zeros.count)))
            try zeros.withRawBytes { (bytes) throws(CapsuleError) in
                try take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            rest -= UInt64(count)
        }
    }

    /// Returns a capsule of a live container, in a private file.
    private func capture(_ opened: OpenedContainer) throws(CapsuleError) -> OpenedContainer {
        var options = packOptions()
        options.level = 1
        let spool = try SpoolFile()
        var taken = opened
        _ = try Packer(options: options).pack(&taken, to: SpooledMembers(spool))
        let file = try CapsuleFile(adopting: try spool.duplicate(), path: HostPath("temporary file"))
        let capsule = try CapsuleReader(file)
        return try StoredVersion(capsule, .latest).opened
    }

    private func outcome(
        _ opened: OpenedContainer, _ entries: [TreeEntry], at path: HostPath, length: UInt64, omitted: [Omission]
    ) -> Outcome {
        Outcome(
            path: path, entries: entries.count, bytes: entries.reduce(0) { $0 + $1.size }, length: length,
            withoutAttributes: entries.count { !$0.attributes.isEmpty }, omitted: omitted)
    }
}

/// The forms of archives that a container can be written as.
package enum ExportForm: String, Hashable, Sendable, CaseIterable {
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
    case tar
    case zip

    var codec: PackOptions.Codec? {
        switch self {
        case .tarGzip, .tar: .gzip
        case .tarZstd: .zstd
        case .zip: nil
        }
    }
}
