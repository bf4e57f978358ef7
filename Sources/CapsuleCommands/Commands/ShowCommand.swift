import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct ShowCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let (argument, opened, names) = try find()
        if PageOutput(context: context).isWanted {
            guard names.isEmpty else {
                throw InputKind(of: command[.container]) == .file
                    ? CapsuleError(.usage, "is a single file, and a page shows a container", path: HostPath(argument))
                    : Self.onlyWhole
            }
            return try writePage(of: argument)
        }
        guard !names.isEmpty else {
            guard !command[.csv] else { throw Self.onlyTables }
            let overview = try ContainerOverview(context.container(argument), opened)
            try context.page(context.reporter.overviewed(overview, as: argument))
            return .success
        }
        var viewer = ContentViewer(opened)
        viewer.rows = command[.limit].map(UInt64.init) ?? (command[.csv] || command[.full] ? nil : viewer.rows)
        viewer.isFull = command[.full] || command[.csv]
        viewer.showsSecrets = command[.showSecrets]
        let files = try names.map { (name) throws(CapsuleError) in try viewer.show(name) }
        if command[.csv] {
            guard files.count == 1, let file = files.first, file.tables.count == 1, file.format == "sqlite",
                names[0].contains(UInt8(ascii: ":"))
            else {
                throw Self.onlyTables
            }
            try context.write(CSVText().bytes(of: file))
            if file.hiddenSecrets > 0 { context.diagnostics.note("secrets are hidden; '--show-secrets' shows them") }
            return .success
        }
        var report = command[.json] ? context.reporter.showStart(as: argument) : []
        for file in files { report += context.reporter.shown(file, isFull: command[.full]) }
        try context.page(report)
        return .success
    }

    private func writePage(of argument: [UInt8]) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let state = try ContainerState(
            context.container(argument), hasContent: !command[.noContent], showsSecrets: command[.showSecrets],
            jobs: context.jobs())
        var report = StateReport(state: state, source: argument)
        report.limit = command[.maxBytes] ?? (command[.full] ? nil : report.limit)
        report.hasContent = !command[.noContent]
        try PageOutput(context: context).write(report.bytes())
        return .success
    }

    private static let onlyWhole = CapsuleError(
        .usage, "a page shows a whole container, so '--html' and '--open' can't be used with PATH", hint: "omit PATH")

    private static let onlyTables = CapsuleError(
        .usage, "'--csv' needs one table",
        hint: "name it as 'PATH:TABLE'; 'capsule show CONTAINER PATH' lists the tables of a database")

    /// Opens the container, or a single file as one, and returns what to show of it.
    private func find() throws(CapsuleError) -> (argument: [UInt8], opened: OpenedContainer, names: [[UInt8]]) {
        let command = context.command
        var (argument, names) = (command[.container], command[.paths])
        if names.isEmpty, let name = ContainedName(argument) { (argument, names) = (name.container, [name.path]) }
        let jobs = try context.jobs()
        guard InputKind(of: argument) == .file else {
            return (argument, try context.container(argument).openLeniently(jobs: jobs), names)
        }
        let file = try LooseFile(HostPath(argument))
        let name = HostPath(argument).name
        let places = names.map { name + [UInt8(ascii: ":")] + $0 }
        return (argument, try file.open(as: name, jobs: jobs), places.isEmpty ? [name] : places)
    }
}
