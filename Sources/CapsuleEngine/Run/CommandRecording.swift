package import CapsuleContainers
package import CapsuleCore
package import CapsuleRules
import CapsuleSystem

/// A recording of a container before and after a command, as two versions of a capsule.
package struct CommandRecording: Sendable {
    package enum Moment: String, Sendable {
        case before
        case after
    }

    package struct Execution: Sendable {
        /// The exit status of the command, or 128 + n if signal n ended it.
        package let status: Int32
        package let signal: Int32?
        package let milliseconds: Int64
    }

    /// The private directory in which the capsule is made. No other user can name, replace or read the capsule there. The
    /// directory is deleted with the recording.
    private let scratch: ScratchDirectory
    private let file: HostPath?
    private let options: PackOptions
    private let progress: (any ProgressObserver)?

    /// The shape of the container before the command. It is compared as what it was, even if the command gave it another one.
    private var shape: ContainerShape?

    private static let name = Array("run.capsule".utf8)
    private var capsule: HostPath { scratch.path.appending(Self.name) }

    /// - Parameters:
    ///   - file: the capsule that keeps both states; nil for one that is deleted at the end.
    ///   - options: the options for packing. The label is set by the recording.
    package init(
        keptIn file: HostPath?, options: PackOptions, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        self.file = file
        self.options = options
        self.progress = progress
        scratch = try ScratchDirectory(in: file?.directory)
    }

    /// Moves the capsule with both states to its final path, if there is one.
    /// - Throws: `CapsuleError` with the code `exists` if something else exists at the path by now, and may not be replaced.
    package func keep() throws(CapsuleError) {
        guard let file else { return }
        try check()
        try scratch.move(Self.name, to: file, replacing: options.replaces)
    }

    /// Throws if the command deleted the private directory, as one does that empties TMPDIR.
    private func check() throws(CapsuleError) {
        guard try !FileProbe.exists(capsule) else { return }
        throw CapsuleError(
            .notFound, "the command deleted Capsule's temporary files in this directory", path: scratch.path.directory,
            hint: file == nil ? "give the command another TMPDIR, or use '-o' to record in another directory" : nil)
    }

    package mutating func pack(_ container: Container, as moment: Moment) throws(CapsuleError) {
        if moment == .before { shape = try LiveContainer.shape(of: try container.liveDirectory()) } else { try check() }
        var options = options
        options.label = VersionLabel(moment.rawValue)
        options.container.shape = shape
        let packer = Packer(options: options, progress: progress)
        switch moment {
        case .before: _ = try packer.pack(container, to: capsule)
        case .after:
            var append = Packer.AppendOptions()
            append.allowsDifferentApp = true
            _ = try packer.append(container, to: capsule, append)
        }
    }

    /// Runs a command and waits for its end. The command inherits this process's environment and standard streams.
    /// - Parameters:
    ///   - command: a program and its arguments. The program is searched for in PATH unless its name contains a slash.
    ///   - sharesOutput: true to share this process's standard output. Otherwise the command's output goes to standard error.
    ///   - variables: environment variables that it gets besides ours.
    /// - Throws: `CapsuleError` if the command can't be started, with the code `notFound` if there is no such program.
    package static func execute(
        _ command: [[UInt8]], sharesOutput: Bool, with variables: [String: [UInt8]] = [:]
    ) throws(CapsuleError) -> Execution {
        guard let program = command.first else { throw CapsuleError(.usage, "there is no command to run") }
        let clock = ContinuousClock()
        let start = clock.now
        let end = try ChildProcess.run(HostPath(program), Array(command.dropFirst()), sharesOutput: sharesOutput, with: variables)
        let parts = (clock.now - start).components
        return Execution(
            status: end.status, signal: end.signal,
            milliseconds: parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000)
    }

    package func compare(
        _ comparison: ContainerDiffer, named container: [UInt8], writing overlay: OverlayExport?
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
