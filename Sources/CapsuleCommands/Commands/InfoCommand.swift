import CapsuleEngine

/// `capsule info`
struct InfoCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let argument = context.command[.container]
        let description = try ContainerDescription(context.container(argument))
        if context.command[.plist] {
            try context.write(try description.propertyList())
        } else {
            try context.write(context.reporter.described(description, as: argument))
        }
        return .success
    }
}
