import CapsuleEngine

/// `capsule ls`
struct LsCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let isLong = command[.longListing]
        let container = context.container(command[.container])
        if !isLong, !command[.json], command[.paths].isEmpty, !context.output.isTerminal,
            let listing = try PathListing(container, jobs: try context.jobs())
        {
            for lines in listing.lines { try context.list(lines) }
            return .success
        }
        let jobs = try context.jobs()
        let listing = try ContainerListing(
            container, paths: command[.paths], digesting: isLong, jobs: jobs)
        let reporter = context.reporter
        try context.list(reporter.listingStart(as: command[.container]))
        let count = try listing.forEachBatch(jobs: jobs, { reporter.listed($0, of: listing, isLong: isLong) }) {
            (lines) throws(CapsuleError) in try context.list(lines)
        }
        try context.list(reporter.listingEnd(entries: count))
        return .success
    }
}
