import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem
public import CapsulePropertyList

/// Packs a container into a new capsule.
public struct Packer: Sendable {
    /// What came of it.
    public struct Outcome: Sendable {
        /// Where the capsule is; `-` is standard output.
        public let path: HostPath
        /// The version's.
        public let manifest: Manifest
        /// The capsule's length in bytes.
        public let length: UInt64
        /// How many bytes of it are the version's own.
        public let added: UInt64
        /// How many bytes of a torn tail gave way to it.
        public let tornBytes: UInt64
        /// How many of the manifest's omissions nobody asked for, now or when the version was packed that this one is of.
        public let losses: Int
        /// How many paths were left out because of patterns.
        public let excluded: Int
        /// The classes of noise that were to be dropped, with how many paths were left out for each.
        public let dropped: [(noise: NoiseClass, paths: Int)]
        /// How many databases were packed with their logs folded in.
        public let folded: Int
        /// Databases that were packed with their logs as they are, since these could not be folded in.
        public let unfolded: [UnfoldedDatabase]
        /// How many files of the version before rely on data that is damaged, as far as it was read back.
        public let damagedFiles: Int
        /// How many of those the container still has, so that the version stores them again.
        public let storedAgain: Int
        /// Logs that were to be left out, of databases that were packed.
        public let leftOutLogs: [RelativePath]
        /// Patterns of what to leave out that match nothing.
        public let unmatchedPatterns: [Glob]
        /// What the container was taken for, and why.
        public let evidence: [String]
        /// Property lists that overlays are for and the container does not have: they were not tried.
        public let untried: [String]
    }

    let options: PackOptions
    private let progress: (any ProgressObserver)?

    /// Nothing is opened yet.
    public init(options: PackOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Packs `container` into a file, which appears whole or not at all.
    ///
    /// - Parameters:
    ///   - container: what is packed; it is only read.
    ///   - file: where to; it must not lie inside the container. nil is `NAME.capsule` in the current directory.
    public func pack(_ container: Container, to file: HostPath?) throws(CapsuleError) -> Outcome {
        CreationMask.prepare()
        if let file {
            try refuse(file, overwriting: [container.argument])
            try FileProbe.checkTarget(file, as: .file, replacing: options.replaces)
        }
        // Listed before there is a temporary file that the list could hold.
        var opened = try open(container)
        let output = file ?? HostPath(opened.name + Array(".capsule".utf8))
        try refuse(output, overwriting: [container.argument])
        try FileProbe.checkTarget(output, as: .file, replacing: options.replaces)
        return try write(&opened, to: output)
    }

    /// Packs a container that is open already into a file, which appears whole or not at all.
    ///
    /// - Parameter limits: who may read the file, besides what the container itself allows.
    @discardableResult
    func write(
        _ opened: inout OpenedContainer, to output: HostPath, within limits: [FileMode] = []
    ) throws(CapsuleError) -> Outcome {
        UnusedMemory.giveBack()
        let replaces = options.replaces != .nothing
        let mode = limits.reduce(opened.fileMode) { $0.within($1) }
        let staged = try CapsuleError.wrapping { () throws(FileSystemError) in try StagedFile(for: output) }
        let outcome = try pack(&opened, to: StagedMembers(staged))
        // Who is appending to the file that is replaced is waited for: they must not write to what has no name any more.
        let locked = replaces ? try Self.lockIfAllowed(output, options.lockTimeout) : nil
        try CapsuleError.wrapping { () throws(FileSystemError) in try staged.commit(replacing: replaces, mode: mode) }
        withExtendedLifetime(locked) {}
        UnusedMemory.giveBack()
        opened.statCache?.save()
        return outcome
    }

    /// Lists the container; what can't be read is told with the way round it.
    ///
    /// - Throws: also for patterns that match nothing, where these are errors.
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
            hint: "a pattern must match the whole path: '**/NAME' matches in every directory"
        ) { glob in
            wanted.contains { glob.matches($0.path) }
        }
    }

    /// Packs `container` and writes the finished capsule to standard output.
    public func pack(_ container: Container, to stream: StandardOutput) throws(CapsuleError) -> Outcome {
        var opened = try open(container)
        let spool = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
        let outcome = try pack(&opened, to: SpooledMembers(spool))
        try stream.copy(spool, length: outcome.length)
        opened.statCache?.save()
        return outcome
    }

    /// A capsule must not take the place of what it is made of, and inside of that it would be part of the next one.
    func refuse(_ output: HostPath, overwriting containers: [[UInt8]]) throws(CapsuleError) {
        let groups = options.container.groups.map(\.directory.bytes)
        try ReadPlaces(containers + groups + options.overlays.map(\.file.path.bytes)).refuse(output)
    }

    /// Packs a container that is open already.
    ///
    /// - Parameter opened: its entries are taken out of it.
    func pack(_ opened: inout OpenedContainer, to output: any MemberOutput) throws(CapsuleError) -> Outcome {
        try write(&opened, to: output.path) { (opened, versions) throws(CapsuleError) in
            try versions.write(&opened, to: CapsuleWriter(output: output, codec: (options.codec ?? .gzip).member))
        }
    }

    /// Folds logs into databases if it is to, tries the overlays, lets `write` write the container, and says what came of it.
    ///
    /// - Parameters:
    ///   - before: where the last version before it ends.
    ///   - torn: how many bytes of a torn tail were there.
    func write(
        _ opened: inout OpenedContainer, to path: HostPath, before: UInt64 = 0, torn: UInt64 = 0,
        _ write: (inout OpenedContainer, VersionWriter) throws(CapsuleError) -> VersionWriter.Written
    ) throws(CapsuleError) -> Outcome {
        let leftOutLogs = Self.leftOutLogs(of: opened)
        var folding = LogFolding.Outcome()
        if options.foldsLogs {
            folding = try LogFolding(
                jobs: options.jobs, isStrict: options.isStrict, allowsChanging: options.allowsChanging
            ).fold(&opened)
        }
        let untried = try tryOverlays(on: opened)
        let facts = VersionWriter.Facts(
            captured: options.captured, label: options.label, note: options.note,
            overlays: options.overlays.map(\.overlay.document), other: options.other)
        var reading = options
        reading.readsBack = true
        let written = try write(&opened, VersionWriter(options: reading, facts: facts, progress: progress))
        let wanted = opened.omitted.prefix(opened.wantedOmissions)
        let own = wanted.dropLast(opened.earlierOmissions)
        let dropped = options.container.dropped.map { dropped in
            (noise: dropped.noise, paths: own.count { $0.reason == dropped.reason })
        }
        return Outcome(
            path: path, manifest: written.manifest, length: written.length, added: written.length - before, tornBytes: torn,
            losses: written.manifest.omitted.count - wanted.count,
            excluded: own.count - folding.omitted.count - dropped.reduce(0) { $0 + $1.paths }, dropped: dropped,
            folded: folding.databases, unfolded: folding.unfolded, damagedFiles: written.damage.files,
            storedAgain: written.damage.storedAgain,
            leftOutLogs: leftOutLogs,
            unmatchedPatterns: try unmatchedPatterns(in: opened),
            evidence: opened.evidence, untried: untried)
    }

    /// The logs among what the user asked to leave out now whose databases stay: without a log a database may lack what was written
    /// last.
    private static func leftOutLogs(of opened: OpenedContainer) -> [RelativePath] {
        opened.omitted.prefix(opened.wantedOmissions).dropLast(opened.earlierOmissions).compactMap { omission in
            guard let log = try? RelativePath(validating: omission.path), let path = DatabaseUnit.database(ofLog: log) else {
                return nil
            }
            let isPacked = Set(opened.entries.map(\.root)).contains { root in
                opened.entries.place(of: path, in: root).map {
                    opened.content.isDatabase(opened.entries[$0], number: $0)
                } ?? false
            }
            return isPacked ? log : nil
        }
    }

    /// Applies the overlays that are packed with the container to what it holds, and forgets the result.
    ///
    /// - Returns: the property lists that it does not hold.
    private func tryOverlays(on opened: OpenedContainer) throws(CapsuleError) -> [String] {
        guard !options.overlays.isEmpty else { return [] }
        let context = OverlayContext(values: HostProcess.wholeEnvironment)
        var run = OverlayRun(opened, bundle: nil, context: context, missing: .isPassedOver)
        // Those that are there already were tried when they came in.
        for entry in options.overlays where entry.overlay.targets.allSatisfy({ $0.root != .appBundle }) {
            try run.apply(entry.overlay, named: "\(entry.file.path)")
        }
        try run.refuseDifferences()
        return run.unchecked
    }
}

/// How to pack.
public struct PackOptions: Sendable {
    /// How members are compressed.
    public enum Codec: Sendable {
        /// What every `tar` reads.
        case gzip
        /// Smaller and faster, where `tar` knows it.
        case zstd

        var member: MemberCodec { self == .gzip ? .gzip : .zstd }
    }

    /// How members are compressed; nil is gzip for a new capsule, and its own for one that is there.
    public var codec: Codec?
    /// gzip 1–12, zstd 1–19; nil for what measured best.
    public var level: Int?
    /// The user's name for the version.
    public var label: VersionLabel?
    /// The user's words about it.
    public var note: PlistString?
    /// Overlays that go with the version, in order.
    public var overlays: [OverlayEntry] = []
    /// What else the manifest says of where the version comes from.
    var other = PlistDictionary()
    /// What of the container is taken in.
    public var container = ContainerOptions()
    /// What is done about a pattern of what to leave out that matches nothing.
    public var unmatchedPatterns = UnmatchedPatterns.areWarnings
    /// Whether anything that can't be kept is an error.
    public var isStrict = false
    /// Whether a file that never stops changing is taken as it was read last.
    public var allowsChanging = false
    /// Whether databases are packed with what is in their logs folded in.
    public var foldsLogs = false
    /// What the capsule may take the place of.
    public var replaces = Replacement.nothing
    /// Whether the process ends when the version is written: what was read of container and capsule is then never freed, since
    /// with many entries that takes as long as to compare them.
    public var endsProcess = false
    /// Whether a version behind others reads back some of the data that it shares with them.
    var readsBack = false
    /// How long to wait for somebody else who writes to a capsule that is replaced, in seconds.
    public var lockTimeout = 10.0
    /// How many threads work.
    public var jobs = 1 {
        didSet { container.jobs = jobs }
    }
    /// The moment of packing.
    public var captured: Timestamp

    /// Takes all in with gzip, by one thread, unless changed.
    public init(captured: Timestamp) {
        self.captured = captured
    }
}
