import CapsuleEngine

/// `capsule cat`
struct CatCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let isFolded = try FilePrinter(context.container(command[.container]))
            .print(command[.path], to: context.output, refusingBinary: context.output.isTerminal)
        if isFolded {
            context.diagnostics.note(
                "\(QuotedBytes(command[.path]).text): includes the content of its log; 'capsule unpack' extracts the files unchanged"
            )
        }
        return .success
    }
}
