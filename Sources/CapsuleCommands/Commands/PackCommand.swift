import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule pack`
struct PackCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let packer = Packer(options: try options(), progress: meter)
        let container = context.container(command[.container])
        let outcome: Packer.Outcome
        if command[.output] == Array("-".utf8) {
            guard !context.output.isTerminal else {
                throw CapsuleError("a capsule is no text, and standard output is a terminal", hint: "send it to a file or a pipe")
            }
            outcome = try packer.pack(container, to: context.output)
            meter?.clear()
        } else {
            outcome = try packer.pack(container, to: command[.output].map(HostPath.init))
            meter?.clear()
            if !command[.quiet] || command[.json] { try context.write(context.reporter.packed(outcome)) }
        }
        warnOfOmissions(outcome)
        return .success
    }

    private func options() throws(CapsuleError) -> PackOptions {
        let command = context.command
        var options = PackOptions(captured: try captured())
        options.codec = command[.codec] == .zstd ? .zstd : .gzip
        options.level = command[.level]
        options.label = command[.label].flatMap { VersionLabel($0) }
        options.note = command[.note].map { PlistString($0) }
        options.container.excluded = try command[.exclude].throwingMap { (pattern) throws(CapsuleError) in
            do throws(GlobError) {
                return try Glob(pattern)
            } catch {
                throw CapsuleError(.usage, "is no pattern: \(error.message)", path: HostPath(pattern))
            }
        }
        options.container.groups = command[.groups].map { ($0.name, HostPath($0.value)) }
        options.container.skipsUnreadable = command[.skipUnreadable]
        options.isStrict = command[.strict]
        options.allowsChanging = command[.allowChanging]
        options.replaces = command[.force]
        options.jobs = try context.jobs()
        return options
    }

    /// The moment of packing: SOURCE_DATE_EPOCH, else now (reproducible-builds.org).
    private func captured() throws(CapsuleError) -> Timestamp {
        guard let value = HostProcess.environment("SOURCE_DATE_EPOCH"), !value.isEmpty else { return HostProcess.now }
        guard let seconds = Int64(String(decoding: value, as: UTF8.self)), seconds >= 0, seconds < 1 << 37 else {
            throw CapsuleError(
                .usage, "SOURCE_DATE_EPOCH is '\(QuotedBytes(value).text)': expected seconds since 1970")
        }
        return Timestamp(seconds: seconds)
    }

    private func warnOfOmissions(_ outcome: Packer.Outcome) {
        let omitted = outcome.manifest.omitted
        if omitted.isEmpty { return }
        context.diagnostics.warning(
            "\(Quantity.counted(UInt64(omitted.count), "entry is", "entries are")) left out or not as before: "
                + (outcome.path.bytes == Array("-".utf8) ? "the manifest lists them" : "'capsule info' lists them"))
    }
}

extension Array {
    /// `map` that keeps the type of what `body` throws.
    func throwingMap<Outcome, Failure: Error>(_ body: (Element) throws(Failure) -> Outcome) throws(Failure) -> [Outcome] {
        var outcomes: [Outcome] = []
        for element in self { outcomes.append(try body(element)) }
        return outcomes
    }
}
