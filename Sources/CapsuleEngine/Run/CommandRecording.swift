public import CapsuleCore
import CapsuleFileSystem

/// A container before and after a command, as two versions of a capsule.
public struct CommandRecording: Sendable {
    /// One of the two moments.
    public enum Moment: String, Sendable {
        /// Before the command.
        case before
        /// When the command has ended.
        case after
    }

    /// How a command ended.
    public struct Execution: Sendable {
        /// Its exit status; 128 + n if signal n ended it.
        public let status: Int32
        /// How long it took.
        public let milliseconds: Int64
    }

    /// Where the capsule is while it is made: nobody else can name, replace or read it there. It goes with the recording.
    private let scratch: ScratchDirectory
    private let file: HostPath?
    private let options: PackOptions
    private let progress: (any ProgressObserver)?

    private static let name = Array("run.capsule".utf8)
    private var capsule: HostPath { scratch.path.appending(Self.name) }

    /// - Parameters:
    ///   - file: the capsule in which both states stay; nil for one that is deleted at the end.
    ///   - options: how to pack, but for the label.
    ///   - progress: what is told of the progress of packing.
    public init(
        keptIn file: HostPath?, options: PackOptions, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        self.file = file
        self.options = options
        self.progress = progress
        scratch = try CapsuleError.wrapping { () throws(FileSystemError) in try ScratchDirectory(in: file?.directory) }
    }

    /// Gives the capsule of both states the name under which it stays, if there is one.
    ///
    /// - Throws: with the code `exists` if something else has the name by now, and may not be replaced.
    public func keep() throws(CapsuleError) {
        guard let file else { return }
        try CapsuleError.wrapping { () throws(FileSystemError) in
            try scratch.move(Self.name, to: file, replacing: options.replaces != .nothing)
        }
    }

    /// Packs the container's state at a moment.
    public func pack(_ container: Container, as moment: Moment) throws(CapsuleError) {
        var options = options
        options.label = VersionLabel(moment.rawValue)
        let packer = Packer(options: options, progress: progress)
        switch moment {
        case .before: _ = try packer.pack(container, to: capsule)
        case .after: _ = try packer.append(container, to: capsule, Packer.AppendOptions())
        }
    }

    /// Runs a command to its end. It has this process's environment and standard streams.
    ///
    /// - Parameters:
    ///   - command: a program, which is looked for in PATH unless its name has a slash, and its arguments.
    ///   - sharesOutput: whether it has this process's standard output; if not, its output goes to standard error.
    /// - Throws: if it can't be started; with the code `notFound` if there is no such program.
    public static func execute(_ command: [[UInt8]], sharesOutput: Bool) throws(CapsuleError) -> Execution {
        guard let program = command.first else { throw CapsuleError(.usage, "there is no command to run") }
        let clock = ContinuousClock()
        let start = clock.now
        let status = try CapsuleError.wrapping { () throws(FileSystemError) in
            try ChildProcess.run(HostPath(program), Array(command.dropFirst()), sharesOutput: sharesOutput)
        }
        let parts = (clock.now - start).components
        return Execution(status: status, milliseconds: parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000)
    }

    /// What the command changed.
    ///
    /// - Parameters:
    ///   - comparison: how to compare.
    ///   - container: what the container is called in reports.
    ///   - overlay: what takes the overlay that turns the state before into the state after, if one is wanted.
    public func compare(
        _ comparison: Comparison, named container: [UInt8], writing overlay: OverlayWriting?
    ) throws(CapsuleError) -> ContainerDiff {
        var diff = try comparison.run(version(.before), version(.after), writing: overlay)
        diff.old.source = file.map { $0.bytes + Array("@before".utf8) } ?? container + Array(" (before)".utf8)
        diff.new.source = file.map { $0.bytes + Array("@after".utf8) } ?? container + Array(" (after)".utf8)
        return diff
    }

    private func version(_ moment: Moment) -> Container {
        Container(capsule.bytes + Array("@\(moment.rawValue)".utf8))
    }
}
