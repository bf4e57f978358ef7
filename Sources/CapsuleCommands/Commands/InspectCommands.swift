import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct LocateCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let command = context.command
        let devices = try directory()
        let locator = try SimulatorLocator(devices: devices)
        let choice = command[.device].map { SimulatorChoice($0) }
        let kind = command[.kind].flatMap { LocatedContainer.Kind(rawValue: $0.rawValue) }
        let outcome: SimulatorLocator.Outcome
        if let identifier = command[.identifier] {
            outcome = try locator.locate(identifier, kind ?? .data, on: choice, isOnEach: command[.json])
        } else {
            outcome = try locator.list(kind, on: choice)
        }
        for warning in outcome.warnings { context.diagnostics.warning(warning) }
        if outcome.containers.isEmpty, !command[.json] {
            context.diagnostics.note("nothing found in \(QuotedBytes(devices.bytes).text)")
        }
        try context.write(context.reporter.located(outcome.containers, in: devices, printsPathOnly: command[.identifier] != nil))
        return .success
    }

    private func directory() throws(CapsuleError) -> HostPath {
        if let devices = context.command[.devices] { return HostPath(devices) }
        let set: SimulatorSet =
            switch context.command[.set] {
            case .default: .standard
            case .previews: .previews
            case .xctest: .xctest
            }
        return try set.directory()
    }
}

struct InfoCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let container = context.container(context.command[.container])
        let description = try ContainerDescription(container)
        if context.command[.plist] {
            try context.write(try description.propertyList())
        } else {
            try context.write(context.reporter.described(description, as: container.argument))
        }
        return .success
    }
}

struct LsCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let (isLong, isReadable) = (command[.longListing], command[.humanReadable])
        let container = context.container(command[.container])
        if !isLong, !command[.json], command[.paths].isEmpty, !context.textReporter.escapesNames,
            let listing = try PathListing(container, jobs: try context.jobs())
        {
            for lines in listing.lines { try context.list(lines) }
            return .success
        }
        let jobs = try context.jobs()
        let listing = try ContainerListing(container, paths: command[.paths], digesting: isLong, jobs: jobs)
        let reporter = context.reporter
        try context.list(reporter.listingStart(as: container.argument))
        let count = try listing.forEachBatch(
            jobs: jobs, { reporter.listed($0, of: listing, isLong: isLong, isReadable: isReadable) }
        ) {
            (lines) throws(CapsuleError) in try context.list(lines)
        }
        try context.list(reporter.listingEnd(entries: count))
        return .success
    }
}

struct DuCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let container = context.container(command[.container])
        let grouping: SpaceUsage.Grouping =
            switch command[.by] {
            case .directory: .directory(depth: command[.depth])
            case .file: .file
            case .kind: .kind
            case .class: .noise
            case .version: .version
            }
        let usage = try SpaceUsage(container, paths: command[.paths], by: grouping, jobs: try context.jobs())
        try context.list(context.reporter.measured(usage, by: command[.by], as: container.argument))
        return .success
    }
}

struct CatCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let (container, path) = try file()
        let isFolded: Bool
        do throws(CapsuleError) {
            isFolded = try FilePrinter(context.container(container))
                .print(path, to: context.output, refusingBinary: context.output.isTerminal)
        } catch {
            guard error.code == .notFound, path.contains(UInt8(ascii: ":")) else { throw error }
            return try printTable(path, of: container)
        }
        if isFolded {
            context.diagnostics.note(
                "\(QuotedBytes(path).text): includes the content of its log; 'capsule unpack' extracts the files unchanged"
            )
        }
        return .success
    }

    /// Prints all rows of `PATH:TABLE` as CSV, and secrets, too, as in the file.
    private func printTable(_ name: [UInt8], of container: [UInt8]) throws(CapsuleError) -> ExitStatus {
        var viewer = ContentViewer(try context.container(container).openLeniently(jobs: context.jobs()))
        (viewer.rows, viewer.isFull, viewer.showsSecrets) = (nil, true, true)
        let file = try viewer.show(name)
        guard file.tables.count == 1, file.format == "sqlite" else {
            throw CapsuleError(
                .usage, "is a value, but 'cat' prints files and tables", path: HostPath(name),
                hint: "'capsule show CONTAINER PATH:POINTER' shows a value")
        }
        for detail in file.details {
            guard case .limit(let limit) = detail.content else { continue }
            throw CapsuleError(.limit, "can't be read completely: \(limit.reason)", path: HostPath(name))
        }
        try context.list(CSVText().bytes(of: file))
        return .success
    }

    private func file() throws(CapsuleError) -> (container: [UInt8], path: [UInt8]) {
        let container = context.command[.container]
        if let path = context.command[.path] { return (container, path) }
        if let name = ContainedName(container) { return (name.container, name.path) }
        throw CapsuleError(
            .usage, "'cat' needs PATH, the file in the container", path: HostPath(container),
            hint: "usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH")
    }
}

struct LogCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let given = context.command[.file]
        let file = RemoteName.shown(given)
        if HostPath(file) == .standardStream {
            throw CapsuleError(.usage, "log reads a file, not standard input")
        }
        let command = context.command
        if command[.path] != nil || command[.stat] || command[.patch] { return try history(of: given, as: file) }
        let log = try VersionLog(HostPath(given))
        for warning in log.warnings { context.diagnostics.warning(warning) }
        try context.write(context.reporter.logged(log, as: file))
        if log.isWhole { return .success }
        for failure in log.failures { context.diagnostics.error(failure) }
        let damaged = log.versions.filter { $0.problem != nil }.map(\.number)
        if !damaged.isEmpty {
            let numbers = VersionNumbers(damaged)
            context.diagnostics.error(
                "\(QuotedBytes(file).text): \(numbers) can't be read", hint: HostPath(file).verifyHint)
        }
        return .failure
    }

    private func history(of given: [UInt8], as file: [UInt8]) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        var options = DiffOptions()
        options.jobs = try context.jobs()
        if command[.full] { (options.isFull, options.rows, options.lines, options.databaseTime) = (true, nil, nil, nil) }
        if command[.stat], command[.path] == nil { options.depth = .entries }
        let history = try VersionHistory(
            HostPath(given), of: command[.path], options, showsSecrets: command[.showSecrets])
        try context.page(
            context.reporter.changed(
                history, as: file, DiffStyle(isFull: command[.full], showsNoise: true), isPatch: command[.patch]))
        for failure in history.failures { context.diagnostics.error(failure) }
        return history.failures.isEmpty ? .success : .failure
    }
}
