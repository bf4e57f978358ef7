import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem

/// Writes a container as an archive that stock tools read: `NAME.xcappdata/…` or `NAME/…`, as in a capsule's own stream.
///
/// Such archives have times in whole seconds and no extended attributes.
public struct Exporter: Sendable {
    /// What came of it.
    public struct Outcome: Sendable {
        /// Where the archive is; `-` is standard output.
        public let path: HostPath
        /// How many entries are in the archive.
        public let entries: Int
        /// The sum of the sizes of its files.
        public let bytes: UInt64
        /// The archive's length in bytes.
        public let length: UInt64
        /// Entries whose extended attributes no such archive holds.
        public let withoutAttributes: Int
        /// What the container did not hold, or could not be read.
        public let omitted: [Omission]
        /// What is to be said of its databases and its overlays, a sentence each.
        public var notes: [String] = []
        /// What came along though nobody named it, a sentence each.
        public var additions: [String] = []
    }

    private let jobs: Int
    private let level: Int?
    private let replaces: Replacement
    private let options: ContainerOptions
    private let overlays: OverlayApplication?
    private let foldsLogs: Bool
    private let progress: (any ProgressObserver)?

    /// - Parameters:
    ///   - jobs: how many threads work; the bytes are the same for any number.
    ///   - level: how hard to compress, 1 to 12 (zstd 19); nil for what measured best.
    ///   - replaces: what the archive may take the place of.
    ///   - options: how the container is looked at.
    ///   - overlays: how the version's overlays are applied; nil to leave them out, with a note.
    ///   - foldsLogs: whether databases come out with what is in their logs folded in, and without the logs.
    ///   - progress: told how far the work is.
    public init(
        jobs: Int = 1, level: Int? = nil, replaces: Replacement = .nothing, options: ContainerOptions = ContainerOptions(),
        overlays: OverlayApplication? = nil, foldsLogs: Bool = false, progress: (any ProgressObserver)? = nil
    ) {
        self.foldsLogs = foldsLogs
        self.jobs = jobs
        self.overlays = overlays
        self.level = level
        self.replaces = replaces
        self.options = options
        self.progress = progress
    }

    /// Writes to a file, which appears whole or not at all.
    ///
    /// - Parameters:
    ///   - container: what is written.
    ///   - paths: tree paths to take, each with all below it; all, if there are none.
    ///   - form: which archive.
    ///   - output: the file, or standard output.
    public func export(
        _ container: Container, paths: [[UInt8]] = [], as form: ExportForm, to output: HostPath
    ) throws(CapsuleError) -> Outcome {
        try ReadPlaces([container.argument], changed: [overlays?.bundle?.bytes].compactMap { $0 }).refuse(output)
        try FileProbe.checkTarget(output, as: .file, replacing: replaces)
        return try withOpened(container, paths) { (opened) throws(CapsuleError) in
            try write(opened, as: form, to: output)
        }
    }

    /// Writes to a file in `directory`, named after the container: `NAME.tar.gz`.
    public func export(
        _ container: Container, paths: [[UInt8]] = [], as form: ExportForm, into directory: HostPath
    ) throws(CapsuleError) -> Outcome {
        let places = ReadPlaces([container.argument], changed: [overlays?.bundle?.bytes].compactMap { $0 })
        try places.refuse(resultsIn: directory, flag: "-C")
        let made = try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(directory) }
        return try withOpened(container, paths) { (opened) throws(CapsuleError) in
            let output = try places.name(
                opened.name, suffix: Array(".\(form.rawValue)".utf8), in: directory, isPart: !paths.isEmpty)
            try FileProbe.checkTarget(output, as: .file, replacing: replaces)
            let outcome = try write(opened, as: form, to: output)
            made.keep()
            return outcome
        }
    }

    /// Writes the finished archive to standard output.
    public func export(
        _ container: Container, paths: [[UInt8]] = [], as form: ExportForm, to stream: StandardOutput
    ) throws(CapsuleError) -> Outcome {
        try withOpened(container, paths) { (opened) throws(CapsuleError) in
            let spool = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
            let outcome = try write(opened, as: form, to: SpooledMembers(spool))
            try stream.copy(spool, length: outcome.length)
            return outcome
        }
    }

    /// Lists the container, with its overlays if they are to be applied, and writes what was chosen of it.
    private func withOpened(
        _ container: Container, _ paths: [[UInt8]], _ write: (OpenedContainer) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        var opened = try container.open(options)
        let overlaid = try overlays?.overlaying(opened)
        if let overlaid { opened = overlaid.container }
        let selection = try PathSelection(paths, in: opened)
        var selected = selection.select(from: opened)
        let unfolded = foldsLogs ? try LogFolding.fold(&selected, jobs: jobs) : []
        var outcome = try write(selected)
        if let overlaid { try overlays?.finish(overlaid) {} }
        outcome.additions = [selection.note].compactMap { $0 }
        outcome.notes = unfolded + (overlaid?.notes ?? []) + [opened.overlayNote].compactMap { $0 }
        return outcome
    }

    private func write(_ opened: OpenedContainer, as form: ExportForm, to output: HostPath) throws(CapsuleError) -> Outcome {
        let staged = try CapsuleError.wrapping { () throws(FileSystemError) in try StagedFile(for: output) }
        let outcome = try write(opened, as: form, to: StagedMembers(staged))
        try CapsuleError.wrapping { () throws(FileSystemError) in
            try staged.commit(replacing: replaces != .nothing, mode: opened.fileMode)
        }
        return outcome
    }

    private func write(
        _ opened: OpenedContainer, as form: ExportForm, to output: any MemberOutput
    ) throws(CapsuleError) -> Outcome {
        guard let codec = form.codec else { return try writeZip(opened, to: output) }
        return try writeTar(opened, codec, to: output)
    }

    private func packOptions() -> PackOptions {
        var options = PackOptions(captured: .epoch)
        options.level = level
        options.jobs = jobs
        options.container = self.options
        return options
    }

    // MARK: tar

    private func writeTar(
        _ opened: OpenedContainer, _ codec: PackOptions.Codec, to output: any MemberOutput
    ) throws(CapsuleError) -> Outcome {
        let writer = CapsuleWriter(output: output, codec: codec.member)
        var taken = opened
        let packed = try StreamPacker.pack(&taken, options: packOptions(), writer: writer, framing: .plain, progress: progress)
        let length = writer.members.last.map { $0.offset + UInt64($0.stored) } ?? 0
        try CapsuleError.wrapping { () throws(FileSystemError) in try output.finish(length: length) }
        return outcome(
            opened, packed.entries, at: output.path, length: length,
            omitted: (opened.isDigested ? [] : opened.unwantedOmissions) + packed.omitted)
    }

    // MARK: zip

    private func writeZip(_ opened: OpenedContainer, to output: any MemberOutput) throws(CapsuleError) -> Outcome {
        // What may change while it is read is captured first, with all the care that takes.
        guard !opened.content.isLive else { return try writeZip(try capture(opened), to: output) }
        let export = ZipExport(
            opened, content: opened.piecewiseContent, jobs: jobs, level: level, output: output, progress: progress)
        return outcome(
            opened, opened.entries, at: output.path, length: try export.run(),
            omitted: opened.isDigested ? [] : opened.unwantedOmissions)
    }

    /// A capsule of a live container, in a private file.
    private func capture(_ opened: OpenedContainer) throws(CapsuleError) -> OpenedContainer {
        var options = packOptions()
        options.level = 1
        let spool = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
        var taken = opened
        _ = try Packer(options: options).pack(&taken, to: SpooledMembers(spool))
        let file = try CapsuleError.wrapping { () throws(FileSystemError) in
            try CapsuleFile(adopting: try spool.duplicate(), path: HostPath("temporary file"))
        }
        let capsule = try CapsuleError.wrappingArchive { () throws(ArchiveError) in try CapsuleReader(file) }
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

/// The archives that a container is written as.
public enum ExportForm: String, Hashable, Sendable, CaseIterable {
    /// A tar archive, compressed by gzip.
    case tarGzip = "tar.gz"
    /// A tar archive, compressed by zstd.
    case tarZstd = "tar.zst"
    /// A zip archive.
    case zip

    /// The codec of a tar's compression; nil for a zip.
    var codec: PackOptions.Codec? {
        switch self {
        case .tarGzip: .gzip
        case .tarZstd: .zstd
        case .zip: nil
        }
    }
}
