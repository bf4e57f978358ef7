import CapsuleEngine

/// `capsule ls`
struct LsCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let isLong = command[.longListing]
        let listing = try ContainerListing(
            context.container(command[.container]), paths: command[.paths], digesting: isLong, jobs: try context.jobs())
        try context.write(context.reporter.listed(listing, isLong: isLong, as: command[.container]))
        return .success
    }
}
