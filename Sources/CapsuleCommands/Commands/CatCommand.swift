import CapsuleCore
import CapsuleEngine

/// `capsule cat`
struct CatCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let (container, path) = try file()
        let isFolded = try FilePrinter(context.container(container))
            .print(path, to: context.output, refusingBinary: context.output.isTerminal)
        if isFolded {
            context.diagnostics.note(
                "\(QuotedBytes(path).text): includes the content of its log; 'capsule unpack' extracts the files unchanged"
            )
        }
        return .success
    }

    /// `CONTAINER PATH`, or both in one argument.
    private func file() throws(CapsuleError) -> (container: [UInt8], path: [UInt8]) {
        let container = context.command[.container]
        if let path = context.command[.path] { return (container, path) }
        if let name = ContainedName(container) { return (name.container, name.path) }
        throw CapsuleError(
            .usage, "'cat' needs PATH, the file in the container", path: HostPath(container),
            hint: "usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH")
    }
}
