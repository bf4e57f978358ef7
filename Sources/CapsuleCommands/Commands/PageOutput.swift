import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// The page that `--html` and `--open` ask for: a file with a name, or a private temporary one.
struct PageOutput {
    let context: CommandContext

    var isWanted: Bool { context.command[.html] != nil || context.command[.open] }

    /// Writes the page, and opens it if that was asked for and somebody is there to see it.
    func write(_ page: [UInt8]) throws(CapsuleError) {
        let isAttended = PageOpener.isAttended(on: context.process)
        let opens = context.command[.open]
        guard context.command[.html] != nil || isAttended else { return unopened(", and '--html FILE' writes it") }
        let output = context.command[.html].map { context.file($0) } ?? PageOpener.temporaryPage()
        try output.write(page, as: .report(.page))
        guard output.path != .standardStream else { return }
        context.diagnostics.note("wrote \(QuotedBytes(output.path.bytes).text)")
        guard opens else { return }
        guard isAttended else { return unopened("") }
        do throws(CapsuleError) { try PageOpener.open(output.path) } catch { context.diagnostics.warning(error) }
    }

    private func unopened(_ advice: String) {
        context.diagnostics.note("not opened: '--open' works on a terminal, and not in CI\(advice)")
    }
}
