import CapsuleEngine

/// `capsule cat`
struct CatCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        try FilePrinter(context.container(command[.container]))
            .print(command[.path], to: context.output, refusingBinary: context.output.isTerminal)
        return .success
    }
}
